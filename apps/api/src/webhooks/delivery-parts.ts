import type { Accounts, OwnWebhook } from '@pairwire/accounts'
import type { Clock, FairQueue, Log } from '@pairwire/basics'
import type { AnswerClass } from './answer-table.ts'
import type { PostOutcome } from './send-post.ts'
import type { Standings } from './standings.ts'
import type { StreamReader } from './stream-reader.ts'

/** What a delivery needs of the loop; `Delivery` is one. */
export type DeliveryParts<Delivery> = Readonly<{
  accounts: Pick<Accounts, 'noteAnswer' | 'noteMessage' | 'readQueuedLetter'>
  /** Whether messages say that their data is simulated. */
  simulated: boolean
  clock: Clock
  log: Log
  owner: string
  reader: StreamReader
  standings: Standings
  /** Runs a post when it is its turn. */
  posts: FairQueue
  post(url: string, headers: Record<string, string>, body: string): Promise<PostOutcome>
  /** Whether this process cannot rely on its lease. */
  signsOff(): boolean
  /** Events of the account's other endpoints that are being sent. */
  inHandOf(own: OwnWebhook): number
  count(answer: AnswerClass, events: number): void
  reread(delivery: Delivery): Promise<void>
}>
