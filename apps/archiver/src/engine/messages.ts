import type { HourPaths } from '@pairwire/archive'
import type { Manifest } from '@pairwire/contract'

/** What the parent asks of the child, by name, with the question and its answer. */
export type EngineAsks = {
  /** Makes the files of an hour out of its spool. */
  make: { question: HourToMake; answer: Manifest }
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

/** The envelopes of both ways. Parent and child are of one release, and nobody else has the channel. */
export type ToEngine = {
  [Ask in EngineAsk]: Readonly<{ id: number; ask: Ask; question: Question<Ask> }>
}[EngineAsk]
export type FromEngine =
  | Readonly<{ id: number; answer: Answer<EngineAsk> }>
  | Readonly<{ id: number; fault: string }>
