import type { StreamKind } from '@pairwire/contract'
import { Frames } from './frames.ts'
import { countEvent, type Member, nothingSent, type Sent } from './hub-member.ts'
import { createInterestIndex, type Interested } from './interest-index.ts'
import { joinFrames, type OutgoingEvent, type SubscriptionIds } from './notification.ts'
import { recordOf } from './sent-record.ts'
import { type Subscription, wantsEvent } from './subscription.ts'

/** A member's place here. */
type Place = {
  readonly member: Member
  filtered: FilteredSwap | undefined
  /** Whether some of its frames say when they leave. */
  readonly isTimed: boolean
  /** What it gets of the events that are being shared out. */
  part: Part | undefined
}

/** What a member gets of some events. */
type Part = Readonly<{ place: Place; events: OutgoingEvent[] }>

type FilteredSwap = Interested & { readonly place: Place }

/** The clients with a filter, or with a cap on their events: each gets frames of its own. */
export class LooseMembers {
  readonly #places = new Map<Member, Place>()
  readonly #index = createInterestIndex<FilteredSwap>()
  /** Subscriptions without a filter. */
  readonly #unfiltered: Record<StreamKind, Map<Place, Subscription>> = {
    newPair: new Map(),
    swap: new Map(),
    latestBlock: new Map(),
  }

  enter(member: Member): void {
    const isTimed = [...member.held.values()].some(({ interest }) => interest.timestamps)
    const place: Place = { member, filtered: undefined, isTimed, part: undefined }
    this.#places.set(member, place)
    for (const [kind, subscription] of member.held) {
      const { interest } = subscription
      if (interest.kind === 'swap' && interest.filter) {
        place.filtered = {
          place,
          filter: interest.filter,
          isAsked: false,
          mark: 0,
          places: undefined,
        }
        this.#index.add(place.filtered)
      } else this.#unfiltered[kind].set(place, subscription)
    }
  }

  /** Takes the member out, if it is here. */
  leave(member: Member): void {
    const place = this.#places.get(member)
    if (!place) return
    this.#places.delete(member)
    if (place.filtered) this.#index.remove(place.filtered)
    for (const kind of member.held.keys()) this.#unfiltered[kind].delete(place)
  }

  /** A step for the matching, and one for each write: to whoever gets most first. `sentAt` is Unix milliseconds. */
  *send(outgoing: readonly OutgoingEvent[], sentAt: number): Generator<number> {
    if (this.#places.size === 0) return
    for (const part of this.#share(outgoing)) {
      yield part.events.length
      write(part, sentAt)
    }
  }

  /** The parts that members get of these events, the greatest first. */
  #share(outgoing: readonly OutgoingEvent[]): Part[] {
    const parts: Part[] = []
    let current: OutgoingEvent
    const take = (place: Place) => {
      if (place.part) place.part.events.push(current)
      else {
        place.part = { place, events: [current] }
        parts.push(place.part)
      }
    }
    const takeFiltered = (entry: FilteredSwap) => take(entry.place)

    for (current of outgoing) {
      const { event } = current
      if (event.kind === 'swap') {
        this.#index.match(event.params.swap, takeFiltered)
        for (const place of this.#unfiltered.swap.keys()) take(place)
      } else if (event.kind === 'latestBlock') {
        for (const place of this.#unfiltered.latestBlock.keys()) take(place)
      } else {
        for (const [place, { interest }] of this.#unfiltered.newPair) {
          if (wantsEvent(interest, event)) take(place)
        }
      }
    }
    for (const { place } of parts) place.part = undefined
    return parts.sort(greatestFirst)
  }
}

/** Writes a member's part, of which a meter may not give all. */
function write({ place, events: own }: Part, sentAt: number): void {
  const { client, ids, record } = place.member
  const meter = client.swapMeter()
  const given = meter ? own.filter(({ kind }) => kind !== 'swap' || meter.take()) : own
  if (given.length === 0) return
  const { frames, counts } = make(place.isTimed ? timed(given, place, sentAt) : given, ids)
  if (client.outbox.write(frames)) {
    client.sent(counts)
    record?.add(recordOf(given))
  } else {
    if (counts.swap > 0) meter?.giveBack(counts.swap)
    client.overflowed()
  }
}

/** The events as they leave, those with times for which the member asks for times. */
function timed(events: readonly OutgoingEvent[], { member }: Place, sentAt: number): OutgoingEvent[] {
  return events.map((event) =>
    member.held.get(event.kind)?.interest.timestamps ? event.timed(sentAt) : event,
  )
}

function make(events: readonly OutgoingEvent[], ids: SubscriptionIds): { frames: Frames; counts: Sent } {
  const [first] = events as readonly [OutgoingEvent, ...OutgoingEvent[]] // whoever has a part has one
  const frames = events.length === 1 ? first.frame(ids[first.kind]!) : new Frames(joinFrames(events, ids))
  const counts = nothingSent()
  for (const { event } of events) countEvent(counts, event)
  counts.bytes = frames.bytes.length
  return { frames, counts }
}

function greatestFirst(one: Part, other: Part): number {
  return other.events.length - one.events.length
}
