import { type GapParams, type PairUpdateMessage, type StreamKind, slotOf } from '@pairwire/contract'
import type { Clock } from '@pairwire/process'
import { gapNotice } from './answers.ts'
import type { TakenBack } from './early-ledger.ts'
import { Frames } from './frames.ts'
import { frameText } from './framing.ts'
import { GroupMembers } from './group-members.ts'
import { type HubClient, KINDS, type Member, nothingSent } from './hub-member.ts'
import type { GatewayLimits } from './limits.ts'
import { LooseMembers } from './loose-members.ts'
import { Joins, type Outgoing, OutgoingEvent } from './notification.ts'
import { createPace, type Pace } from './pace.ts'
import { EarlyUpdates, sendUpdates } from './pair-updates.ts'
import { RecentEvents } from './recent-events.ts'
import { sendTakenBack } from './send-taken-back.ts'
import { SentRecord } from './sent-record.ts'
import type { Subscription } from './subscription.ts'
import { createWindow, type Window, type WindowCalls } from './window.ts'

/**
 * The index of interests: which client gets which event, and in what pieces.
 *
 *     publish -> window -> loose members: their own frames joined, one write each
 *                       -> groups: frames joined once, ids put in, one write per client
 */
export type Hub = Pick<Window<Item>, 'atEdge' | 'flush' | 'hold'> &
  Readonly<{
    /** Adds events in chain order; they leave with the present window. */
    publish(events: readonly Outgoing[]): void
    /** Adds events in order of arrival, and what is taken back of them. */
    send(items: readonly EarlyOutgoing[]): void
    /** Tells of a new pair what became known of its token: behind its event, to whoever wants such pairs. */
    tell(update: PairUpdateMessage): void
    /** Sets, replaces (same kind) or, with undefined, removes a subscription. To be called at the edge only. */
    put(client: HubClient, kind: StreamKind, subscription: Subscription | undefined): void
    /** Sorts the client anew after its meter came or went. */
    refresh(client: HubClient): void
    /** Takes a client out with all that it holds. */
    leave(client: HubClient): void
    /** Tells the client what was written to it up to now. */
    settle(client: HubClient): void
    /** Cursor of the last event that was sent; undefined before the first. */
    position(): string | undefined
    /** The same, where a client can come back with it: undefined too while events come in order of arrival. */
    place(): string | undefined
    /** Cursor of the last event that was published. */
    newest(): string | undefined
    /** What was sent after a cursor, as {@link RecentEvents} says. */
    since(cursor: string, isNewest: boolean): readonly Outgoing[] | undefined
    /** Sends what waits and takes nothing more. */
    close(): void
  }>

/** What goes out ahead of confirmation. */
export type EarlyOutgoing = Outgoing | TakenBack

/** What waits in a window. */
type Item = EarlyOutgoing | PairUpdateMessage

/** Makes a hub, whose window calls back as {@link WindowCalls} say; hubs of one process share a pace, and what they join. */
export function createHub({
  clock,
  limits,
  pace = createPace(clock, Number.POSITIVE_INFINITY),
  joins = new Joins(),
  isEarly = false,
  ...calls
}: WindowCalls &
  Readonly<{
    clock: Clock
    limits: Pick<GatewayLimits, 'windowMs' | 'restOwedMs' | 'windowMaxEvents' | 'recentEvents'>
    pace?: Pace
    joins?: Joins
    /** Whether what it sends may be taken back. */
    isEarly?: boolean
  }>): Hub {
  const members = new Map<HubClient, Member>()
  const groups = new GroupMembers(joins)
  const loose = new LooseMembers()
  const recent = new RecentEvents(limits.recentEvents)
  const early = new EarlyUpdates()
  let newest: string | undefined
  let isClosed = false

  function* send(window: readonly Item[]): Generator<number> {
    if (window.every((item) => item instanceof OutgoingEvent)) {
      yield* sendEvents(window)
      return
    }
    let events: OutgoingEvent[] = []
    const updates: PairUpdateMessage[] = []
    for (const item of window) {
      if (item instanceof OutgoingEvent) {
        events.push(item)
        continue
      }
      if ('update' in item) {
        updates.push(item)
        continue
      }
      yield* sendEvents(events)
      events = []
      if (item.kind === 'takenBack') {
        sendTakenBack(members.values(), item)
        continue
      }
      sendGap(item.params)
      recent.push(item)
    }
    yield* sendEvents(events)
    sendUpdates(members.values(), updates)
  }

  /** Every subscription is told, whatever its filter; it counts as nothing that was delivered. */
  const sendGap = (params: GapParams) => {
    for (const { client, held } of [...members.values()]) {
      const notices = [...held.values()].map(({ id }) => frameText(gapNotice(id, params)))
      const frames = new Frames(Buffer.concat(notices))
      if (client.outbox.write(frames)) client.sent({ ...nothingSent(), bytes: frames.bytes.length })
      else client.overflowed()
    }
  }

  function* sendEvents(events: readonly OutgoingEvent[]): Generator<number> {
    if (events.length === 0) return
    const sentAt = clock.now()
    yield* loose.send(events, sentAt)
    yield* groups.send(events, sentAt)
    for (const event of events) recent.push(event.bare)
    if (isEarly) settleRecords(events)
  }

  /** Behind the end of a block nothing of it is taken back. */
  const settleRecords = (events: readonly OutgoingEvent[]) => {
    const end = events.findLast(({ event }) => event.kind === 'latestBlock')
    if (end) for (const { record } of members.values()) record?.settle(slotOf(end.cursor))
  }

  const window = createWindow<Item>({
    ...{ clock, limits, pace, send, ...calls },
    commitment: isEarly ? 'processed' : 'confirmed',
  })

  const enter = (member: Member) => {
    if (isLoose(member)) loose.enter(member)
    else groups.enter(member)
  }
  const exit = (member: Member) => {
    groups.leave(member)
    loose.leave(member)
  }

  const memberOf = (client: HubClient): Member => {
    let member = members.get(client)
    if (!member) {
      const record = isEarly ? new SentRecord() : undefined
      member = { client, held: new Map(), ids: {}, record }
      members.set(client, member)
      if (members.size === 1) pace.enter()
    }
    return member
  }

  const put: Hub['put'] = (client, kind, subscription) => {
    // Who comes or goes while a window is on its way has all of it or nothing.
    window.finish()
    if (!subscription && !members.get(client)?.held.has(kind)) return
    const member = memberOf(client)
    const { held } = member
    exit(member)
    if (subscription) held.set(kind, subscription)
    else {
      held.delete(kind)
      member.record?.forget(kind)
    }
    member.ids = { ...member.ids, [kind]: subscription?.id }
    if (held.size > 0) enter(member)
    else if (members.delete(client) && members.size === 0) pace.leave()
  }

  return {
    publish(events) {
      if (isClosed || events.length === 0) return
      newest = events.at(-1)!.cursor
      const due = early.upTo(newest)
      if (members.size === 0 && window.isIdle()) {
        for (const event of events) recent.push(event)
        return
      }
      window.add(events)
      if (due.length > 0) window.add(due)
    },

    send(items) {
      if (isClosed) return
      const last = items.findLast((item) => item.kind !== 'takenBack')
      if (last) newest = last.cursor
      if (members.size > 0 || !window.isIdle()) window.add(items)
    },

    tell(update) {
      if (isClosed) return
      if (newest !== undefined && update.cursor <= newest) window.add([update])
      else early.add(update)
    },

    atEdge: window.atEdge,
    flush: window.flush,
    hold: window.hold,
    position() {
      window.finish()
      return recent.newest
    },
    place() {
      window.finish()
      return recent.isPlaced ? recent.newest : undefined
    },
    newest: () => newest,
    since: (cursor, isNewest) => recent.after(cursor, isNewest),
    put,

    refresh(client) {
      window.finish()
      const member = members.get(client)
      if (!member) return
      exit(member)
      enter(member)
    },

    leave(client) {
      for (const kind of KINDS) put(client, kind, undefined)
    },

    settle(client) {
      const member = members.get(client)
      if (member) groups.settle(member)
    },

    close() {
      window.flush()
      isClosed = true
    },
  }
}

/** Whether the member's part of the stream is its own: by a filter, or by a cap that it shares with nobody. */
function isLoose({ client, held }: Member): boolean {
  for (const { interest } of held.values()) {
    if (interest.kind === 'newPair' && interest.sourceExchanges) return true
    if (interest.kind === 'swap' && (interest.filter || client.swapMeter())) return true
  }
  return false
}
