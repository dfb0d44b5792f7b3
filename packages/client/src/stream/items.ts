import type {
  LatestBlockParams,
  NewPairFacts,
  NewPairParams,
  PairUpdateParams,
  SwapFacts,
  SwapParams,
} from './wire.d.ts'

/** What every event has besides the members of its frame's `params`. */
type Placed<Type extends string> = {
  readonly type: Type
  /** Its cursor; null where the source gives none, and ahead of confirmation. */
  readonly cursor: string | null
  readonly commitment: 'confirmed' | 'processed'
  /** Whether it is part of a playback. */
  readonly replay: boolean
  /** Unix milliseconds at which the service received and sent it, with `timestamps: true`. */
  readonly receivedAt?: number
  readonly sentAt?: number
}

/** A swap. */
export type SwapEvent = SwapParams & Placed<'swap'> & { readonly facts?: SwapFacts }

/** A new pair. */
export type NewPairEvent = NewPairParams & Placed<'newPair'> & { readonly facts?: NewPairFacts }

/** An event of a stream that asked for facts. */
export type WithFacts<Event extends SwapEvent | NewPairEvent> = Event &
  Required<Readonly<Pick<Event, 'facts'>>>

/** A block; `block` is its slot. */
export type BlockEvent = LatestBlockParams & Placed<'block'>

/** An event that a reader gets. */
export type StreamEvent = SwapEvent | NewPairEvent | BlockEvent

/** A range of slots, both inclusive, with missing events; null where an end is unknown. */
export type Gap = {
  readonly type: 'gap'
  readonly fromSlot: number | null
  readonly toSlot: number | null
  /**
   * `upstream`, `slow_consumer` and `deploy` come from the service. `too_old`: the cursor is no longer kept.
   * `disconnected`: it reconnected where nothing can be resumed. `unread`: it was dropped, since nothing read it.
   */
  readonly cause: 'upstream' | 'slow_consumer' | 'deploy' | 'too_old' | 'disconnected' | 'unread'
  /** The cursor to resume after to get the missing events; null where that is impossible. */
  readonly resumeFrom: string | null
}

/** What became known about a new pair's token after it was sent. */
export type PairUpdate = PairUpdateParams & { readonly type: 'pairUpdate' }

/** Transactions that were sent ahead of confirmation and are not on the chain. */
export type SlotDropped = {
  readonly type: 'slotDropped'
  readonly slot: number
  readonly signatures: readonly string[]
}

/** An item that is not an event. */
export type SideItem = Gap | PairUpdate | SlotDropped

/** An item, and the cursor to resume after once it is finished; null if it has none. */
export type Entry = Readonly<{ item: StreamEvent | SideItem; place: string | null }>

/** The slot that an item names. */
export function slotOf(item: StreamEvent | SideItem): number | null {
  if (item.type === 'block') return item.block
  return 'slot' in item ? item.slot : null
}
