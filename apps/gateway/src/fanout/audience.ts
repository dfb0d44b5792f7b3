import type { StreamKind } from '@pairwire/contract'
import { createInterestIndex, type Interest, type Interested, wantsEvent } from '@pairwire/filter'
import type { FrameHeads } from '../codecs/codec.ts'
import { Frames } from '../protocol/frames.ts'
import type { OutgoingEvent } from '../protocol/outgoing-event.ts'
import type { Subscription } from '../protocol/subscription.ts'
import { countEvent, draw, giveBack, KINDS, type Member, nothingSent } from './hub-member.ts'
import { JoinedFrames } from './joined-frames.ts'
import { recordOf } from './sent-record.ts'

/** Members that get the same bytes: the same subscriptions under the same ids. A member with a filter or a cap forms its own group. */
type Group = {
  readonly key: string | undefined
  readonly held: ReadonlyMap<StreamKind, Subscription>
  readonly heads: FrameHeads
  readonly members: Set<Member>
  filtered: FilteredSwap | undefined
  /** Its part of the events being distributed. */
  part: Part | undefined
}

/** A group's part of some events. */
type Part = Readonly<{ group: Group; events: OutgoingEvent[] }>

type FilteredSwap = Interested & { readonly group: Group }

/**
 * Finds the members that want each event, and writes it to them:
 *
 *     events -> index of filters, and who wants the whole kind -> a part for each group -> frames, made once -> a write each
 */
export class Audience {
  readonly #joined: JoinedFrames
  readonly #groups = new Map<Member, Group>()
  /** Groups that several members may share, by their subscriptions. */
  readonly #shared = new Map<string, Group>()
  readonly #index = createInterestIndex<FilteredSwap>()
  #filters = 0
  /** By kind, the groups that the index does not have: all but those with a filter of swaps. */
  readonly #unfiltered: Record<StreamKind, Map<Group, Interest>> = {
    newPair: new Map(),
    swap: new Map(),
    latestBlock: new Map(),
  }

  /** Creates an audience, whose frames may be shared with other audiences. */
  constructor(joined = new JoinedFrames()) {
    this.#joined = joined
  }

  enter(member: Member): void {
    const key = isAlone(member) ? undefined : keyOf(member)
    const group = (key !== undefined && this.#shared.get(key)) || this.#open(member, key)
    group.members.add(member)
    this.#groups.set(member, group)
  }

  /** Removes the member, if it is here. */
  leave(member: Member): void {
    const group = this.#groups.get(member)
    if (!group) return
    this.#groups.delete(member)
    group.members.delete(member)
    if (group.members.size > 0) return
    if (group.key !== undefined) this.#shared.delete(group.key)
    if (group.filtered) {
      this.#index.remove(group.filtered)
      this.#filters--
    }
    for (const kind of KINDS) this.#unfiltered[kind].delete(group)
  }

  /** Sends the events, pausing before each write for a caller that watches the time. `sentAt` is Unix milliseconds. */
  *send(events: readonly OutgoingEvent[], sentAt: number): Generator<void> {
    for (const part of this.#share(events)) yield* write(part, sentAt, this.#joined)
  }

  #open({ held, heads }: Member, key: string | undefined): Group {
    const group: Group = { key, held, heads, members: new Set(), filtered: undefined, part: undefined }
    if (key !== undefined) this.#shared.set(key, group)
    for (const [kind, { interest }] of held) {
      if (interest.kind === 'swap' && interest.filter) {
        group.filtered = { group, filter: interest.filter, isAsked: false, mark: 0, places: undefined }
        this.#index.add(group.filtered)
        this.#filters++
      } else this.#unfiltered[kind].set(group, interest)
    }
    return group
  }

  /** Divides the events into parts for groups: first groups of one member, those with the most events first. */
  #share(events: readonly OutgoingEvent[]): Part[] {
    const parts: Part[] = []
    let current: OutgoingEvent
    const take = (group: Group) => {
      if (group.part) group.part.events.push(current)
      else {
        group.part = { group, events: [current] }
        parts.push(group.part)
      }
    }
    const takeFiltered = ({ group }: FilteredSwap) => take(group)

    for (current of events) {
      const { event } = current
      // A swap that no filter examines stays unparsed.
      if (event.kind === 'swap' && this.#filters > 0) this.#index.match(event.params.swap, takeFiltered)
      for (const [group, interest] of this.#unfiltered[event.kind]) {
        if (wantsEvent(interest, event)) take(group)
      }
    }
    for (const { group } of parts) group.part = undefined
    return parts.sort(aloneAndGreatestFirst)
  }
}

/** Writes a part; the meter of a single member may end it early. */
function* write({ group, events }: Part, sentAt: number, joined: JoinedFrames): Generator<void> {
  const [first] = group.members
  if (!first) return
  const given =
    group.key === undefined && isMetered(first)
      ? events.filter(({ kind }) => draw(first.client, group.held.get(kind)!))
      : events
  if (given.length === 0) return

  const leaving = given.map((event) => event.shown(group.held.get(event.kind)!.interest, sentAt))
  const bytes = group.key === undefined ? group.heads.frame(leaving) : joined.of(leaving, group.heads)
  const frames = new Frames(bytes, group.members.size > 1)
  const counts = nothingSent()
  for (const { event } of given) countEvent(counts, event)
  counts.bytes = frames.bytes.length
  const written = first.record && recordOf(given)
  for (const { client, record } of group.members) {
    yield
    if (client.outbox.write(frames)) {
      client.sent(counts)
      record?.add(written!)
    } else {
      if (group.key === undefined) giveBack(client, counts)
      client.overflowed()
    }
  }
}

/** Whether the member's part is its own because of a filter, or of a cap that no other member shares. */
function isAlone(member: Member): boolean {
  for (const { interest } of member.held.values()) {
    if (interest.kind === 'newPair' && isNarrow(interest)) return true
    if (interest.kind === 'swap' && interest.filter) return true
  }
  return isMetered(member)
}

function isMetered({ client, held }: Member): boolean {
  for (const { kind, isOver } of held.values()) if (isOver || client.meter(kind)) return true
  return false
}

function isNarrow({ sourceExchanges, stages, creators }: Extract<Interest, { kind: 'newPair' }>): boolean {
  return sourceExchanges !== null || stages !== null || creators !== null
}

/** Returns the same key for members without a filter that get the same frames. */
function keyOf({ held, heads }: Member): string {
  const wanted = KINDS.map((kind) => {
    const subscription = held.get(kind)
    if (!subscription) return ''
    const { interest } = subscription
    return `${interest.timestamps} ${interest.facts} ${interest.kind === 'newPair' && interest.includeLaunchpads}`
  })
  return [heads.key, ...wanted].join('/')
}

/** Writing all events takes long, so members that want only a part of them go first. */
function aloneAndGreatestFirst(one: Part, other: Part): number {
  const order = Number(one.group.key !== undefined) - Number(other.group.key !== undefined)
  return order || other.events.length - one.events.length
}
