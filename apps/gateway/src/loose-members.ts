import type { StreamKind } from '@pairwire/contract'
import { Frames } from './frames.ts'
import { countEvent, type Member, nothingSent, type Sent } from './hub-member.ts'
import { createInterestIndex, type Interested } from './interest-index.ts'
import { joinFrames, type OutgoingEvent } from './notification.ts'
import { recordOf } from './sent-record.ts'
import { type Subscription, wantsEvent } from './subscription.ts'

/** A member's place here, and its part of the window that is being sent. */
type Place = {
  readonly member: Member
  filtered: FilteredSwap | undefined
  events: OutgoingEvent[]
  counts: Sent
  /** Swaps that its meter gave. */
  metered: number
}

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
    const place: Place = { member, filtered: undefined, events: [], counts: nothingSent(), metered: 0 }
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

  /** A step for the matching, and one for each write. `sentAt` is Unix milliseconds. */
  *send(outgoing: readonly OutgoingEvent[], sentAt: number): Generator<void> {
    if (this.#places.size === 0) return
    const touched = new Set<Place>()
    let current: OutgoingEvent
    const take = (place: Place) => {
      const isTimed = place.member.held.get(current.event.kind)?.interest.timestamps
      place.events.push(isTimed ? current.timed(sentAt) : current)
      countEvent(place.counts, current.event)
      touched.add(place)
    }
    const takeSwap = (place: Place) => {
      const meter = place.member.client.swapMeter()
      if (meter) {
        if (!meter.take()) return
        place.metered++
      }
      take(place)
    }
    const takeFiltered = (entry: FilteredSwap) => takeSwap(entry.place)

    for (current of outgoing) {
      const { event } = current
      if (event.kind === 'swap') {
        this.#index.match(event.params.swap, takeFiltered)
        for (const place of this.#unfiltered.swap.keys()) takeSwap(place)
      } else if (event.kind === 'latestBlock') {
        for (const place of this.#unfiltered.latestBlock.keys()) take(place)
      } else {
        for (const [place, { interest }] of this.#unfiltered.newPair) {
          if (wantsEvent(interest, event)) take(place)
        }
      }
    }
    // Whoever gets most first: so the fewest events wait for the sockets of others.
    const places = [...touched].sort((one, other) => other.events.length - one.events.length)
    for (const place of places) {
      yield
      write(place)
    }
  }
}

/** Writes a member's part of the window, which ends with it. */
function write(place: Place): void {
  const { member, events, counts, metered } = place
  const { client, ids } = member
  place.events = []
  place.counts = nothingSent()
  place.metered = 0
  const [first] = events as [OutgoingEvent] // whoever was touched has one
  const frames =
    events.length === 1 ? first.frame(ids[first.event.kind]!) : new Frames(joinFrames(events, ids))
  counts.bytes = frames.bytes.length
  if (client.outbox.write(frames)) {
    client.sent(counts)
    if (member.record) member.record.add(recordOf(events))
  } else {
    if (metered > 0) client.swapMeter()?.giveBack(metered)
    client.overflowed()
  }
}
