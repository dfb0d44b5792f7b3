import type { Clock } from '@pairwire/basics'
import type { SlotUpdate } from '../../slot-keeper/slot-keeper.ts'

/** An endpoint, and what to read from it. */
export type FeedOptions<Program = string> = Readonly<{
  url: URL
  /** Sent as `x-token`. */
  token: string | undefined
  /** Programs whose transactions or logs are wanted; a string is an address in base58. */
  programs: readonly Program[]
  clock: Clock
}>

/** An update of a feed: about slots, or in the form of its endpoint. */
export type FeedUpdate = Readonly<{
  /** `connected` when a connection begins, `unreadable` for bytes that cannot be read, or a kind of its own. */
  kind: string
  /** The slot that a connection was asked to begin with. */
  from?: number | undefined
  slot?: number | undefined
  reason?: string
}>

/** Reads one endpoint. */
export type Feed<Update extends FeedUpdate = SlotUpdate> = Readonly<{
  /** Kind and host for display, never a token. */
  name: string
  /** Whether it can begin with an earlier slot on request. */
  canReplay: boolean
  /** Reads until the signal aborts. @throws FeedError when the endpoint cannot be read, or no longer */
  read(parts: FeedParts<Update>): Promise<void>
}>

/** Wraps the feed so that a refusal without a token mentions that none is set. */
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

/** What a feed needs for reading. */
export type FeedParts<Update extends FeedUpdate = SlotUpdate> = Readonly<{
  /**
   * Returns the slot to begin with, given what a server holds; undefined to join wherever it is.
   * @throws FeedError when nothing that this server has is of use
   */
  whereFrom(server: ServerPlace): number | undefined
  /** Takes an update. @returns false when the feed should stop reading until {@link FeedParts.drained} */
  push(update: Update): boolean
  drained(): Promise<void>
  /** Reports facts about the endpoint. */
  report(facts: FeedFacts): void
  signal: AbortSignal
}>

/** The position of a server; fields are undefined if it does not tell. */
export type ServerPlace = Readonly<{
  /** Its newest confirmed slot. */
  head: number | undefined
  /** The oldest slot that it can replay. */
  firstAvailable: number | undefined
}>

/** Facts about an endpoint. */
export type FeedFacts = Readonly<{
  /** Its software and version, as it names them. */
  version?: string
  /** A sentence about what it lacks while it can be used; null when it lacks nothing. */
  warning?: string | null
}>

/**
 * Why an endpoint cannot be read. `unreachable`: no answer. `unauthorised`: it wants another token. `unusable`: it is
 * not such an endpoint. `replayRefused`: it cannot begin with the requested slot. `behind`: it is far behind what was
 * published. `slow`: we did not keep up, or it did not. `broken`: anything else.
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
  /** With `replayRefused`, the oldest slot available, if the server tells. */
  readonly firstAvailable: number | undefined

  constructor(kind: FeedErrorKind, sentence: string, firstAvailable?: number) {
    super(oneLine(sentence))
    this.name = 'FeedError'
    this.kind = kind
    this.firstAvailable = firstAvailable
  }
}

/** Makes untrusted text safe to show: without line breaks and terminal control characters. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
}

/** Reads whole past blocks from an RPC. */
export type Backfill = Readonly<{
  /** Host for display, never a token. */
  name: string
  /**
   * Yields confirmed blocks from `fromSlot` to `toSlot`, both inclusive, in order; slots without a block are skipped.
   * @throws FeedError when they are not available, or no longer
   */
  blocks(fromSlot: number, toSlot: number, signal: AbortSignal): AsyncIterable<SlotUpdate & { kind: 'block' }>
}>
