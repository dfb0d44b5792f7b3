import type { Interest, StreamKind } from '@pairwire/contract'
import { countEvent, type HubClient, KINDS, type Member, nothingSent, type Sent } from './hub-member.ts'
import type { Joins, OutgoingEvent, SubscriptionIds } from './notification.ts'
import { recordOf, type Written } from './sent-record.ts'
import { wantsEvent } from './subscription.ts'

/** Writes after which the time is looked at: a look is a small part of them. */
const WRITES_PER_STEP = 8

/** Clients that get the same events. */
type Group = {
  readonly key: string
  readonly interests: ReadonlyMap<StreamKind, Interest>
  readonly peers: Map<string, Peers>
  /** What was written to each member, so that a write needs no counting of its own. Replaced, never changed. */
  sent: Readonly<Sent>
}

/** Members of a group that have the same ids too, and so get the same bytes. */
type Peers = {
  readonly key: string
  readonly ids: SubscriptionIds
  readonly places: Set<Place>
  /** Whether what they are sent may be taken back. */
  readonly isRecorded: boolean
  /** Their ways out, made anew after one has come or gone. */
  ways: Ways | undefined
  sentBytes: number
}

/**
 * Outboxes in a row, and whose they are. A window looks at nothing else of a client: a thousand of them do not fit the
 * processor's cache, so each further object is a wait for memory.
 */
type Ways = { readonly outboxes: readonly HubClient['outbox'][]; readonly clients: readonly HubClient[] }

/** A member's place among its peers, and what they had been sent when its client was last told. */
type Place = {
  readonly member: Member
  readonly group: Group
  readonly peers: Peers
  settled: Readonly<Sent>
  settledBytes: number
}

/**
 * The clients without a filter. Those that hold the same subscriptions form a group, for which frames are joined once;
 * those with the same ids share one buffer.
 */
export class GroupMembers {
  readonly #groups = new Map<string, Group>()
  readonly #places = new Map<Member, Place>()
  readonly #joins: Joins

  /** Lanes share what they join. */
  constructor(joins: Joins) {
    this.#joins = joins
  }

  enter(member: Member): void {
    const group = this.#groupFor(member)
    const peers = peersFor(group, member)
    const place = { member, group, peers, settled: group.sent, settledBytes: peers.sentBytes }
    peers.places.add(place)
    peers.ways = undefined
    this.#places.set(member, place)
  }

  /** Takes the member out, if it is here; its client is told of all that was written. */
  leave(member: Member): void {
    const place = this.#places.get(member)
    if (!place) return
    settle(place)
    const { group, peers } = place
    this.#places.delete(member)
    peers.places.delete(place)
    peers.ways = undefined
    if (peers.places.size === 0) group.peers.delete(peers.key)
    if (group.peers.size === 0) this.#groups.delete(group.key)
  }

  /** Tells the member's client what was written to it up to now. */
  settle(member: Member): void {
    const place = this.#places.get(member)
    if (place) settle(place)
  }

  /** Some writes in each step. `sentAt` is Unix milliseconds. */
  *send(outgoing: readonly OutgoingEvent[], sentAt: number): Generator<number> {
    for (const group of this.#groups.values()) yield* sendToGroup(group, outgoing, sentAt, this.#joins)
  }

  #groupFor({ held }: Member): Group {
    const key = KINDS.map((kind) => keyOf(held.get(kind)?.interest)).join('/')
    let group = this.#groups.get(key)
    if (!group) {
      const interests = new Map([...held].map(([kind, { interest }]) => [kind, interest]))
      group = { key, interests, peers: new Map(), sent: nothingSent() }
      this.#groups.set(key, group)
    }
    return group
  }
}

/** The same for interests, without a filter, that ask for the same frames. */
function keyOf(interest: Interest | undefined): string {
  if (!interest) return ''
  const includeLaunchpads = interest.kind === 'newPair' && interest.includeLaunchpads
  return `${interest.timestamps}${includeLaunchpads}`
}

function peersFor(group: Group, { ids, record }: Member): Peers {
  const key = `${ids.newPair}/${ids.swap}/${ids.latestBlock}`
  let peers = group.peers.get(key)
  if (!peers) {
    peers = { key, ids, places: new Set(), isRecorded: record !== undefined, ways: undefined, sentBytes: 0 }
    group.peers.set(key, peers)
  }
  return peers
}

function waysOf({ places }: Peers): Ways {
  const clients = [...places].map(({ member }) => member.client)
  return { clients, outboxes: clients.map(({ outbox }) => outbox) }
}

function* sendToGroup(
  group: Group,
  outgoing: readonly OutgoingEvent[],
  sentAt: number,
  joins: Joins,
): Generator<number> {
  const events: OutgoingEvent[] = []
  for (const current of outgoing) {
    const interest = group.interests.get(current.event.kind)
    if (!interest || !wantsEvent(interest, current.event)) continue
    events.push(interest.timestamps ? current.timed(sentAt) : current)
  }
  if (events.length === 0) return

  const joined = joins.of(group.key, events)
  let record: Written | undefined
  for (const peers of group.peers.values()) {
    peers.ways ??= waysOf(peers)
    const { outboxes, clients } = peers.ways
    const shared = outboxes.length > 1 ? joined.shared(peers.ids) : undefined
    let bytes = 0
    for (let at = 0; at < outboxes.length; at++) {
      // Everything is much to write: whoever wants a part of it does not wait for that.
      if (at % WRITES_PER_STEP === 0) yield 0
      // Behind the pause: another lane may have put other ids into frames for one client.
      const frames = shared ?? joined.single(peers.ids)
      bytes = frames.bytes.length
      // Who has overflowed leaves the group before this window counts.
      if (!outboxes[at]!.write(frames)) clients[at]!.overflowed()
    }
    peers.sentBytes += bytes
    if (!peers.isRecorded) continue
    record ??= recordOf(events)
    for (const { member } of peers.places) member.record?.add(record)
  }

  const sent = { ...group.sent }
  for (const { event } of events) countEvent(sent, event)
  group.sent = sent
}

function settle(place: Place): void {
  const { settled, settledBytes, group, peers, member } = place
  const { sent } = group
  if (settled === sent) return
  place.settledBytes = peers.sentBytes
  place.settled = sent
  member.client.sent({
    newPair: sent.newPair - settled.newPair,
    swap: sent.swap - settled.swap,
    buy: sent.buy - settled.buy,
    latestBlock: sent.latestBlock - settled.latestBlock,
    bytes: peers.sentBytes - settledBytes,
  })
}
