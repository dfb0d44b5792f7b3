import {
  type GapParams,
  LAUNCHPADS,
  type NotificationEvent,
  type StreamEvent,
  type StreamKind,
} from '@pairwire/contract'
import { gapNotice } from './answers.ts'
import type { Clock } from './clock.ts'
import { Frames } from './frames.ts'
import { frameText } from './framing.ts'
import { createInterestIndex, type Interested } from './interest-index.ts'
import type { GatewayLimits } from './limits.ts'
import { JoinedFrames, joinFrames, OutgoingEvent, type SubscriptionIds } from './notification.ts'
import type { Outbox } from './outbox.ts'
import type { Meter, Subscription } from './subscription.ts'

/** What was written to a client: how many frames of each kind, how many of the swaps were buys, and the bytes. */
export type Sent = Record<StreamKind, number> & { buy: number; bytes: number }

/** A client as the hub sees it. */
export type HubClient = Readonly<{
  /** Takes whole frames, in order; never waits. Frames that are not shared are its own until `write` returns. */
  outbox: Pick<Outbox, 'write'>
  /** Called when the outbox has refused a window, which is lost to the client; it has to leave. */
  overflowed(): void
  /** Told now and then what was written since the last time; `settle` brings it up to date. */
  sent(sent: Readonly<Sent>): void
  /** The allowance that a swap subscription draws on; undefined without a cap. */
  swapMeter(): Meter | undefined
}>

/**
 * The index of interests: which client gets which event, and in what pieces.
 *
 *     publish -> window (5 ms) -> flush -> each group:  frames joined once, ids put in, one write per client
 *                                       -> each loose client: its own frames joined, one write
 *                                       -> edge: what clients asked for meanwhile (subscribe, update, unsubscribe)
 *
 * Clients without a filter that hold the same subscriptions form a group; those with the same ids share one buffer.
 * A client with a filter, or with a cap on its events, is loose. Since requests are carried out only at the edge
 * of a window, all of them take effect between two events.
 */
export type Hub = Readonly<{
  /** Adds events in chain order; they leave with the present window. */
  publish(events: readonly StreamEvent[]): void
  /** Carries `change` out at the edge of the window: at once when nothing is waiting. */
  atEdge(change: () => void): void
  /** Sets, replaces (same kind) or, with undefined, removes a subscription. To be called at the edge only. */
  put(client: HubClient, kind: StreamKind, subscription: Subscription | undefined): void
  /** Sorts the client anew after its meter came or went. */
  refresh(client: HubClient): void
  /** Takes a client out with all that it holds. */
  leave(client: HubClient): void
  /** Sends everything that waits. */
  flush(): void
  /** Tells every client what was written to it up to now. */
  settle(): void
  /** Sends what waits and takes nothing more. */
  close(): void
  subscriptionCount(): number
}>

type Member = {
  readonly client: HubClient
  readonly held: Map<StreamKind, Subscription>
  ids: SubscriptionIds
  group: Group | undefined
  peers: Peers | undefined
  filtered: FilteredSwap | undefined
  /** Its events of the present window, while it is being sent. */
  events: OutgoingEvent[]
  counts: Sent
  metered: number
  /** What its group had been sent when the client was last told, and the bytes that its peers had. */
  settled: Readonly<Sent>
  settledBytes: number
}

type FilteredSwap = Interested & { readonly member: Member }

/** Clients that get the same events. */
type Group = {
  readonly key: string
  readonly kinds: ReadonlySet<StreamKind>
  readonly includeLaunchpads: boolean
  readonly peers: Map<string, Peers>
  /** What was written to each member, so that a write needs no counting of its own. Replaced, never changed. */
  sent: Readonly<Sent>
}

/** Members of a group that have the same ids too, and so get the same bytes. */
type Peers = {
  readonly key: string
  readonly ids: SubscriptionIds
  readonly members: Set<Member>
  sentBytes: number
}

/** Makes a hub. `beforeFlush` is called before each window is sent, `afterFlush` when something was. */
export function createHub({
  clock,
  limits,
  beforeFlush,
  afterFlush,
}: {
  clock: Clock
  limits: Pick<GatewayLimits, 'windowMs' | 'windowMaxEvents'>
  beforeFlush: () => void
  afterFlush: () => void
}): Hub {
  const members = new Map<HubClient, Member>()
  const groups = new Map<string, Group>()
  const index = createInterestIndex<FilteredSwap>()
  /** Unfiltered subscriptions of loose members. */
  const loose = {
    newPair: new Map<Member, Subscription>(),
    swap: new Map<Member, Subscription>(),
    latestBlock: new Map<Member, Subscription>(),
  }
  let subscriptions = 0
  let window: StreamEvent[] = []
  let edge: (() => void)[] = []
  let cancelTimer: (() => void) | undefined
  let sending = false
  let closed = false

  const enter = (member: Member) => {
    if (member.held.size === 0) {
      members.delete(member.client)
      return
    }
    const capped = member.held.has('swap') && member.client.swapMeter() !== undefined
    if (!member.filtered && !capped) {
      enterGroup(member)
      return
    }
    for (const [kind, subscription] of member.held) {
      if (kind !== 'swap' || !member.filtered) loose[kind].set(member, subscription)
    }
  }

  const enterGroup = (member: Member) => {
    const { ids, held } = member
    const newPair = held.get('newPair')
    const includeLaunchpads = newPair?.interest.kind === 'newPair' && newPair.interest.includeLaunchpads
    const kinds = new Set(KINDS.filter((kind) => held.has(kind)))
    const key = `${[...kinds]}/${includeLaunchpads}`
    let group = groups.get(key)
    if (!group) {
      group = { key, kinds, includeLaunchpads, peers: new Map(), sent: nothing() }
      groups.set(key, group)
    }

    const peersKey = `${ids.newPair}/${ids.swap}/${ids.latestBlock}`
    let peers = group.peers.get(peersKey)
    if (!peers) {
      peers = { key: peersKey, ids, members: new Set(), sentBytes: 0 }
      group.peers.set(peersKey, peers)
    }
    peers.members.add(member)
    member.group = group
    member.peers = peers
    member.settled = group.sent
    member.settledBytes = peers.sentBytes
  }

  const exit = (member: Member) => {
    const { group, peers } = member
    if (group && peers) {
      settle(member, group, peers)
      peers.members.delete(member)
      if (peers.members.size === 0) group.peers.delete(peers.key)
      if (group.peers.size === 0) groups.delete(group.key)
      member.group = undefined
      member.peers = undefined
    }
    for (const kind of member.held.keys()) loose[kind].delete(member)
  }

  const put: Hub['put'] = (client, kind, subscription) => {
    let member = members.get(client)
    if (!member) {
      if (!subscription) return
      member = {
        client,
        held: new Map(),
        ids: {},
        group: undefined,
        peers: undefined,
        filtered: undefined,
        events: [],
        counts: nothing(),
        metered: 0,
        settled: nothing(),
        settledBytes: 0,
      }
      members.set(client, member)
    }

    exit(member)
    if (member.held.has(kind)) subscriptions--
    if (kind === 'swap' && member.filtered) {
      index.remove(member.filtered)
      member.filtered = undefined
    }
    if (subscription) {
      subscriptions++
      member.held.set(kind, subscription)
      if (subscription.interest.kind === 'swap' && subscription.interest.filter) {
        const { filter } = subscription.interest
        member.filtered = { member, filter, mark: 0, places: undefined }
        index.add(member.filtered)
      }
    } else {
      member.held.delete(kind)
    }
    member.ids = { ...member.ids, [kind]: subscription?.id }
    enter(member)
  }

  const sendWindow = (window: readonly StreamEvent[]) => {
    let events: NotificationEvent[] = []
    for (const event of window) {
      if (event.kind !== 'gap') {
        events.push(event)
        continue
      }
      if (events.length > 0) sendEvents(events)
      events = []
      sendGap(event.params)
    }
    if (events.length > 0) sendEvents(events)
  }

  /** Every subscription is told, whatever its filter; it counts as nothing that was delivered. */
  const sendGap = (params: GapParams) => {
    for (const { client, held } of [...members.values()]) {
      const notices = [...held.values()].map(({ id }) => frameText(gapNotice(id, params)))
      const frames = new Frames(Buffer.concat(notices))
      if (client.outbox.write(frames)) client.sent({ ...nothing(), bytes: frames.bytes.length })
      else client.overflowed()
    }
  }

  const sendEvents = (events: readonly NotificationEvent[]) => {
    const outgoing = events.map((event) => new OutgoingEvent(event))
    for (const group of groups.values()) sendToGroup(group, outgoing)
    sendToLoose(outgoing)
  }

  const sendToLoose = (outgoing: readonly OutgoingEvent[]) => {
    const touched = new Set<Member>()
    let current: OutgoingEvent
    const take = (member: Member) => {
      member.events.push(current)
      member.counts[current.event.kind]++
      if (isBuy(current.event)) member.counts.buy++
      touched.add(member)
    }
    const takeSwap = (member: Member) => {
      const meter = member.client.swapMeter()
      if (meter) {
        if (!meter.take()) return
        member.metered++
      }
      take(member)
    }
    const takeFiltered = (entry: FilteredSwap) => takeSwap(entry.member)

    for (current of outgoing) {
      const { event } = current
      if (event.kind === 'swap') {
        index.match(event.params.swap, takeFiltered)
        for (const member of loose.swap.keys()) takeSwap(member)
      } else if (event.kind === 'latestBlock') {
        for (const member of loose.latestBlock.keys()) take(member)
      } else {
        for (const [member, { interest }] of loose.newPair) {
          const includeLaunchpads = interest.kind === 'newPair' && interest.includeLaunchpads
          if (includeLaunchpads || !isOnLaunchpad(event)) take(member)
        }
      }
    }

    for (const member of touched) {
      const { events, ids, counts, metered } = member
      member.events = []
      member.counts = nothing()
      member.metered = 0
      const [{ event }] = events as [OutgoingEvent]
      const frames =
        events.length === 1 ? events[0]!.frame(ids[event.kind]!) : new Frames(joinFrames(events, ids))
      counts.bytes = frames.bytes.length
      if (member.client.outbox.write(frames)) member.client.sent(counts)
      else {
        if (metered > 0) member.client.swapMeter()?.giveBack(metered)
        member.client.overflowed()
      }
    }
  }

  const flush = () => {
    cancelTimer?.()
    cancelTimer = undefined
    beforeFlush()

    if (window.length > 0) {
      const events = window
      window = events.length > limits.windowMaxEvents ? events.slice(limits.windowMaxEvents) : []
      sending = true
      try {
        sendWindow(window.length > 0 ? events.slice(0, limits.windowMaxEvents) : events)
      } finally {
        sending = false
      }
      afterFlush()
    }
    const changes = edge
    edge = []
    for (const change of changes) change()

    if (window.length > 0) cancelTimer ??= clock.after(0, flush)
  }

  return {
    publish(events) {
      if (closed || events.length === 0) return
      if (window.length === 0) window = [...events]
      else for (const event of events) window.push(event)

      if (window.length >= limits.windowMaxEvents) {
        cancelTimer?.()
        cancelTimer = clock.after(0, flush)
      } else {
        cancelTimer ??= clock.after(limits.windowMs, flush)
      }
    },

    atEdge(change) {
      if (window.length === 0 && edge.length === 0 && !sending) change()
      else edge.push(change)
    },

    put,

    refresh(client) {
      const member = members.get(client)
      if (!member) return
      exit(member)
      enter(member)
    },

    leave(client) {
      for (const kind of KINDS) put(client, kind, undefined)
    },

    flush() {
      do flush()
      while (window.length > 0)
      cancelTimer?.()
      cancelTimer = undefined
    },

    settle() {
      for (const group of groups.values()) {
        for (const peers of group.peers.values()) {
          for (const member of peers.members) settle(member, group, peers)
        }
      }
    },

    close() {
      this.flush()
      closed = true
    },

    subscriptionCount: () => subscriptions,
  }
}

const KINDS: readonly StreamKind[] = ['newPair', 'swap', 'latestBlock']

function sendToGroup(group: Group, outgoing: readonly OutgoingEvent[]): void {
  const events = outgoing.filter(({ event }) => isWanted(group, event))
  if (events.length === 0) return

  const joined = new JoinedFrames(events)
  for (const peers of group.peers.values()) {
    const { members, ids } = peers
    const frames = members.size > 1 ? joined.shared(ids) : joined.single(ids)
    for (const { client } of members) {
      // Who has overflowed leaves the group before this window counts.
      if (!client.outbox.write(frames)) client.overflowed()
    }
    peers.sentBytes += frames.bytes.length
  }

  const counts = nothing()
  for (const { event } of events) {
    counts[event.kind]++
    if (isBuy(event)) counts.buy++
  }
  const { sent } = group
  group.sent = {
    newPair: sent.newPair + counts.newPair,
    swap: sent.swap + counts.swap,
    buy: sent.buy + counts.buy,
    latestBlock: sent.latestBlock + counts.latestBlock,
    bytes: 0,
  }
}

/** Tells a member of a group what was written to it since it was last told. */
function settle(member: Member, { sent }: Group, { sentBytes }: Peers): void {
  const { settled } = member
  if (settled === sent) return
  const bytes = sentBytes - member.settledBytes
  member.settledBytes = sentBytes
  member.settled = sent
  member.client.sent({
    newPair: sent.newPair - settled.newPair,
    swap: sent.swap - settled.swap,
    buy: sent.buy - settled.buy,
    latestBlock: sent.latestBlock - settled.latestBlock,
    bytes,
  })
}

function isWanted({ kinds, includeLaunchpads }: Group, event: NotificationEvent): boolean {
  if (!kinds.has(event.kind)) return false
  return event.kind !== 'newPair' || includeLaunchpads || !isOnLaunchpad(event)
}

function isOnLaunchpad(event: NotificationEvent & { kind: 'newPair' }): boolean {
  return LAUNCHPADS.has(event.params.pair.sourceExchange)
}

function isBuy(event: NotificationEvent): boolean {
  return event.kind === 'swap' && event.params.swap.swapType === 'buy'
}

function nothing(): Sent {
  return { newPair: 0, swap: 0, buy: 0, latestBlock: 0, bytes: 0 }
}
