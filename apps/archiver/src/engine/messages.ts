import type { HourPaths } from '@pairwire/archive'
import type { Manifest, TryAnswer } from '@pairwire/contract'

/** Requests from the parent to the child, by name, each with its question and answer. */
export type EngineAsks = {
  /** Makes the files of an hour from its spool. */
  make: { question: HourToMake; answer: Manifest }
  /** Reads the blocks of an hour from their file, in chain order. */
  blocks: { question: Readonly<{ path: string }>; answer: readonly HourBlock[] }
  /** Reads from the files of an hour what its manifest claims about them. */
  prove: { question: Omit<HourPaths, 'zip'>; answer: FilesProof }
  /** Tries a filter on an hour. */
  try: { question: FilterToTry; answer: Tried }
}

export type EngineAsk = keyof EngineAsks
export type Question<Ask extends EngineAsk> = EngineAsks[Ask]['question']
export type Answer<Ask extends EngineAsk> = EngineAsks[Ask]['answer']

/** An hour whose spool is complete. */
export type HourToMake = Readonly<{
  /** Its folder; see `spool/hour-spool.ts`. */
  spool: string
  /** Paths of the files to make; their folder exists, they do not. */
  files: HourPaths
}>

/** A block as in its file. */
export type HourBlock = Readonly<{
  cursor: string
  slot: number
  blockTime: number
  receivedAt: number | null
}>

/** What the files of an hour show. */
export type FilesProof = Pick<Manifest, 'slots' | 'cursors' | 'chain'> &
  Readonly<{
    rows: Record<'swaps' | 'pairs' | 'blocks', number>
    /** Events, as counted by the blocks. */
    inBlocks: Record<'swaps' | 'pairs', number>
    /** Rows whose cursor is not after that of the previous row. */
    outOfOrder: number
  }>

/** A condition in SQL, made from a parsed filter, and the file of its kind. */
export type FilterToTry = Readonly<{ kind: 'swap' | 'newPair'; path: string; condition: string }>

/** The matches. */
export type Tried = Omit<Extract<TryAnswer, { outcome: 'tried' }>, 'outcome' | 'total'>

/** The envelopes in both directions. Parent and child are of one release, and the channel is private to them. */
export type ToEngine = {
  [Ask in EngineAsk]: Readonly<{ id: number; ask: Ask; question: Question<Ask> }>
}[EngineAsk]
export type FromEngine =
  | Readonly<{ id: number; answer: Answer<EngineAsk> }>
  | Readonly<{ id: number; fault: string }>
