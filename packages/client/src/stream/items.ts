import type { LatestBlockParams, NewPairParams, PairUpdateParams, SwapParams } from './wire.d.ts'

/** What every event has beside the members of its frame's `params`. */
type Placed<Type extends string> = {
  readonly type: Type
  /** Its place in the stream; null where the source gives none, and ahead of confirmation. */
  readonly cursor: string | null
  readonly commitment: 'confirmed' | 'processed'
  /** Whether it is played again. */
  readonly replay: boolean
  /** Unix milliseconds at which the service got it and sent it, with `timestamps: true`. */
  readonly receivedAt?: number
  readonly sentAt?: number
}

/** A swap. */
export type SwapEvent = SwapParams & Placed<'swap'>

/** A new pair. */
export type NewPairEvent = NewPairParams & Placed<'newPair'>

/** A block; `block` is its slot. */
export type BlockEvent = LatestBlockParams & Placed<'block'>

/** What a stream's reader is handed. */
export type StreamEvent = SwapEvent | NewPairEvent | BlockEvent

/** Slots, both inclusive, of which something is missing; null where an end is not known. */
export type Gap = {
  readonly type: 'gap'
  readonly fromSlot: number | null
  readonly toSlot: number | null
  /**
   * `upstream`, `slow_consumer` and `deploy` are the service's. `too_old`: the place is no longer held. `disconnected`: it
   * came back where nothing can be resumed. `unread`: it was dropped, since nobody read it.
   */
  readonly cause: 'upstream' | 'slow_consumer' | 'deploy' | 'too_old' | 'disconnected' | 'unread'
  /** The cursor behind which a stream gets it after all; null where nobody has it. */
  readonly resumeFrom: string | null
}

/** What became known of a new pair's token after it was sent. */
export type PairUpdate = PairUpdateParams & { readonly type: 'pairUpdate' }

/** Transactions that were sent ahead of confirmation and are not on the chain. */
export type SlotDropped = {
  readonly type: 'slotDropped'
  readonly slot: number
  readonly signatures: readonly string[]
}

/** What stands between the events of a stream. */
export type SideItem = Gap | PairUpdate | SlotDropped

/** Something in a stream, in its place, and the cursor behind which to go on once it is finished; null where it has none. */
export type Entry = Readonly<{ item: StreamEvent | SideItem; place: string | null }>

/** The slot that an item names. */
export function slotOf(item: StreamEvent | SideItem): number | null {
  if (item.type === 'block') return item.block
  return 'slot' in item ? item.slot : null
}
