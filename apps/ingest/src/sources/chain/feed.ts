import type { Clock } from '@pairwire/basics'
import type { SlotUpdate } from '../../slot-keeper/slot-keeper.ts'

/** An endpoint, and what is wanted of it. */
export type FeedOptions<Program = string> = Readonly<{
  url: URL
  /** Sent as `x-token`. */
  token: string | undefined
  /** Whose transactions or logs are wanted; a text is a program's address in base58. */
  programs: readonly Program[]
  clock: Clock
}>

/** What a feed says: of slots, or in whatever pieces its endpoint gives. */
export type FeedUpdate = Readonly<{
  /** `connected` when a connection begins, `unreadable` for bytes that cannot be read, else what the feed is for. */
  kind: string
  /** The slot that a connection was asked to begin with. */
  from?: number | undefined
  slot?: number | undefined
  reason?: string
}>

/** One endpoint: what it says of slots, as it says it. */
export type Feed<Update extends FeedUpdate = SlotUpdate> = Readonly<{
  /** For people: its kind and its host, never a token. */
  name: string
  /** Whether it can begin with an earlier slot when it is asked to. */
  canReplay: boolean
  /** Reads until the signal aborts. @throws FeedError when the endpoint cannot be read, or not any more */
  read(parts: FeedParts<Update>): Promise<void>
}>

/** The feed, which says with a refusal that no token was sent, where none is set. */
export function withTokenHint<Update extends FeedUpdate>(
  feed: Feed<Update>,
  token: string | undefined,
): Feed<Update> {
  if (token !== undefined) return feed
  const read: Feed<Update>['read'] = async (parts) => {
    try {
      await feed.read(parts)
    } catch (error) {
      if (!(error instanceof FeedError) || error.kind !== 'unauthorised') throw error
      throw new FeedError(error.kind, `${error.message} No token was sent: SOLANA_SOURCE_TOKEN is not set.`)
    }
  }
  return { ...feed, read }
}

/** What a feed is given to read with. */
export type FeedParts<Update extends FeedUpdate = SlotUpdate> = Readonly<{
  /**
   * The slot to begin with, for a server that holds this much; undefined to join wherever it stands.
   * @throws FeedError when nothing that this server can give is of use
   */
  whereFrom(server: ServerPlace): number | undefined
  /** Takes an update. @returns false when the feed should stop reading until {@link FeedParts.drained} */
  push(update: Update): boolean
  drained(): Promise<void>
  /** Tells what was learnt of the endpoint. */
  report(facts: FeedFacts): void
  signal: AbortSignal
}>

/** Where a server stands; each undefined where it does not say. */
export type ServerPlace = Readonly<{
  /** Its newest confirmed slot. */
  head: number | undefined
  /** The oldest slot that it can replay. */
  firstAvailable: number | undefined
}>

/** What is known of an endpoint. */
export type FeedFacts = Readonly<{
  /** Its software and version, as it names them. */
  version?: string
  /** A sentence about what it lacks, though it can be used; null when it lacks nothing any more. */
  warning?: string | null
}>

/**
 * Why an endpoint cannot be read. `unreachable`: nothing answers. `unauthorised`: it wants another token. `unusable`:
 * it is no such endpoint. `replayRefused`: it cannot begin with the slot that it was asked for. `behind`: it stands far
 * behind what was published. `slow`: we did not keep up, or it did not. `broken`: anything else.
 */
type FeedErrorKind =
  | 'unreachable'
  | 'unauthorised'
  | 'unusable'
  | 'replayRefused'
  | 'behind'
  | 'slow'
  | 'broken'

/** A feed ended; the message is a sentence for the operator and holds no token. */
export class FeedError extends Error {
  readonly kind: FeedErrorKind
  /** With `replayRefused`, the oldest slot that there is, where the server says so. */
  readonly firstAvailable: number | undefined

  constructor(kind: FeedErrorKind, sentence: string, firstAvailable?: number) {
    super(oneLine(sentence))
    this.name = 'FeedError'
    this.kind = kind
    this.firstAvailable = firstAvailable
  }
}

/** A text in which a stranger's words may be, without what steers a terminal or begins a line. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
}

/** Whole blocks of the past, from an RPC. */
export type Backfill = Readonly<{
  /** For people: its host, never a token. */
  name: string
  /**
   * Confirmed blocks from `fromSlot` to `toSlot`, both inclusive, in order; slots without a block are left out.
   * @throws FeedError when they cannot be had, or not any more
   */
  blocks(fromSlot: number, toSlot: number, signal: AbortSignal): AsyncIterable<SlotUpdate & { kind: 'block' }>
}>
