import type { HourPaths } from '@pairwire/archive'
import type { Manifest, TryAnswer } from '@pairwire/contract'

/** What the parent asks of the child, by name, with the question and its answer. */
export type EngineAsks = {
  /** Makes the files of an hour out of its spool. */
  make: { question: HourToMake; answer: Manifest }
  /** Reads the blocks of an hour out of their file, in chain order. */
  blocks: { question: Readonly<{ path: string }>; answer: readonly HourBlock[] }
  /** Reads out of the files of an hour what its manifest says of them. */
  prove: { question: Omit<HourPaths, 'zip'>; answer: FilesProof }
  /** Holds a filter against an hour. */
  try: { question: FilterToTry; answer: Tried }
}

export type EngineAsk = keyof EngineAsks
export type Question<Ask extends EngineAsk> = EngineAsks[Ask]['question']
export type Answer<Ask extends EngineAsk> = EngineAsks[Ask]['answer']

/** An hour whose spool is whole. */
export type HourToMake = Readonly<{
  /** Its folder; see `spool/hour-spool.ts`. */
  spool: string
  /** Where the files go; their folder is there, and they are not. */
  files: HourPaths
}>

/** A block as its file has it. */
export type HourBlock = Readonly<{
  cursor: string
  slot: number
  blockTime: number
  receivedAt: number | null
}>

/** What the files of an hour tell of it. */
export type FilesProof = Pick<Manifest, 'slots' | 'cursors' | 'chain'> &
  Readonly<{
    rows: Record<'swaps' | 'pairs' | 'blocks', number>
    /** Events that the blocks count. */
    inBlocks: Record<'swaps' | 'pairs', number>
    /** Rows whose cursor does not stand behind the one before. */
    outOfOrder: number
  }>

/** A condition in SQL, made from a filter that was read, and the file of its kind. */
export type FilterToTry = Readonly<{ kind: 'swap' | 'newPair'; path: string; condition: string }>

/** What was met; `total` is of the file. */
export type Tried = Omit<Extract<TryAnswer, { outcome: 'tried' }>, 'outcome'>

/** The envelopes of both ways. Parent and child are of one release, and nobody else has the channel. */
export type ToEngine = {
  [Ask in EngineAsk]: Readonly<{ id: number; ask: Ask; question: Question<Ask> }>
}[EngineAsk]
export type FromEngine =
  | Readonly<{ id: number; answer: Answer<EngineAsk> }>
  | Readonly<{ id: number; fault: string }>
