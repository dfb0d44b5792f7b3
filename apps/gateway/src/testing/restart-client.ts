import { blockCursor, eventsOf } from '@pairwire/bus/testing/chain-of-slots'
import type { NotificationEvent, StreamKind } from '@pairwire/contract'
import WebSocket from 'ws'
import type { CappedAccounts } from './capped-accounts.ts'
import { NARROW_HEADER } from './narrow-line.ts'
import { PRO_KEY } from './restart-accounts.ts'

/** A subscription as its client requests it, and a test's own definition of the events it must get. */
export type Wish = Readonly<{
  kind: StreamKind
  params: object
  wants(event: NotificationEvent): boolean
}>

/** Slots, both inclusive. */
type Slots = Readonly<{ from: number; to: number }>

/** What a client has of one stream, over all its connections. */
type Holding = {
  readonly wish: Wish
  /** The cursor of the last event that it got, and the one to resume from. */
  last: string
  place: string
  events: number
  /** The gaps that were reported. */
  gaps: Slots[]
}

/** A client that reconnects with its cursors whenever it is cut, and compares what it gets with the chain. */
export type RestartClient = Readonly<{
  connect(port: number): void
  /** Cuts its own connection, and reconnects. */
  cut(): void
  /** Reconnects after its connection was cut elsewhere. */
  comeBack(): void
  /** Whether it has the last event that it wants up to the end of a slot: it has then checked all earlier ones. */
  hasAll(lastSlot: number): boolean
  counts(): RestartCounts
  close(): void
}>

/** The counts of a client; checked slots and events taken back only count for early ones. */
export type RestartCounts = Readonly<{
  events: number
  gaps: number
  named: number
  slow: number
  slots: number
  takenBack: number
  caps: number
}>

/** Reasons to refuse a subscribe: the stream has not yet reached the client's cursor, or the plan is used up. */
const CURSOR_AHEAD = 'CURSOR_AHEAD'
const PLAN_USED_UP = 'PLAN_USED_UP'

/** Every client begins after the first block. */
const START = blockCursor(1)

/** Milliseconds before a temporarily refused subscribe is retried. */
const AGAIN_MS = 100

/**
 * Creates a client: slow ones have a narrow connection, those with a cap `capped` accounts; `problem` is called with
 * everything that is wrong.
 */
export function createRestartClient(
  name: string,
  wishes: readonly Wish[],
  { isSlow = false, capped }: { isSlow?: boolean; capped?: CappedAccounts },
  problem: (sentence: string) => void,
): RestartClient {
  const holdings: Holding[] = wishes.map((wish) => ({ wish, last: START, place: START, events: 0, gaps: [] }))
  const counts = { events: 0, gaps: 0, named: 0, slow: 0, slots: 0, takenBack: 0, caps: 0 }
  let socket: WebSocket | undefined
  let port = 0
  let isClosed = false

  const connect = () => {
    const headers = { 'X-API-KEY': capped?.key() ?? PRO_KEY, ...(isSlow ? { [NARROW_HEADER]: '1' } : {}) }
    const own = new WebSocket(`ws://127.0.0.1:${port}/`, { headers })
    socket = own
    const byId = new Map<number, Holding>()
    const subscribe = (at: number) => {
      const { wish, place } = holdings[at]!
      const params = { ...wish.params, resume_from: place }
      if (own.readyState === WebSocket.OPEN)
        own.send(JSON.stringify({ id: at + 1, method: `${wish.kind}Subscribe`, params }))
    }
    own.on('error', () => {})
    own.on('open', () => {
      for (const at of holdings.keys()) subscribe(at)
    })
    own.on('message', (data) => {
      const frame = JSON.parse(String(data))
      if (frame.error) {
        const { errorType } = frame.error.data
        if (capped && errorType === PLAN_USED_UP) {
          capped.useUp()
          reconnect()
          return
        }
        if (errorType !== CURSOR_AHEAD) problem(`${name}: ${frame.error.message}`)
        setTimeout(() => subscribe(frame.id - 1), AGAIN_MS)
      } else if (frame.result) byId.set(frame.result.subscription_id, holdings[frame.id - 1]!)
      else if (frame.method === 'gapNotification')
        takeGap(byId.get(frame.params.subscription_id)!, frame.params)
      else if (frame.method === 'subscriptionClosed')
        takeClosing(byId.get(frame.subscription_id)!, frame.reason, subscribe)
      else takeEvent(byId.get(frame.subscription_id)!, frame.cursor)
    })
    own.on('close', (code) => {
      if (code === 4008) counts.slow++
      if (code === 1006 && socket === own) capped?.noteEnd('died')
      // After a kill there is nothing to connect to until the test provides a new address.
      if (socket === own && code === 4008 && !isClosed) connect()
    })
  }

  const reconnect = () => {
    socket?.terminate()
    connect()
  }

  /** Everything between the previous event and this one must be covered by a reported gap. */
  const takeEvent = (holding: Holding, cursor: string) => {
    if (cursor <= holding.last) problem(`${name}: ${cursor} came after ${holding.last}.`)
    const due = dueBetween(holding, cursor)
    const [first] = due
    if (first?.cursor !== cursor)
      problem(`${name}: ${cursor} came where ${first?.cursor ?? 'nothing'} was due.`)
    holding.last = cursor
    holding.place = cursor
    holding.events++
    counts.events++
    if (holding.wish.kind === 'swap') capped?.take()
  }

  const takeGap = (holding: Holding, { fromSlot, toSlot, cause, resume_from }: GapFrame) => {
    counts.gaps++
    if (resume_from === null && cause !== 'deploy') problem(`${name}: a gap by ${cause}.`)
    if (resume_from === null) holding.gaps.push({ from: fromSlot, to: toSlot })
  }

  const takeClosing = (holding: Holding, reason: string, subscribe: (at: number) => void) => {
    const named = / resume_from: (\S+)$/.exec(reason)?.[1]
    // A used-up plan refuses the next subscribe.
    if (capped && reason.startsWith('You have used all')) subscribe(holdings.indexOf(holding))
    if (named === undefined) return
    counts.named++
    if (named < holding.place) problem(`${name}: ${named} is named, and ${holding.place} was there.`)
    holding.place = named
  }

  const dueBetween = ({ last, wish, gaps }: Holding, upTo: string): NotificationEvent[] => {
    const due: NotificationEvent[] = []
    for (let slot = slotOf(last); slot <= slotOf(upTo); slot++) {
      if (gaps.some(({ from, to }) => from <= slot && slot <= to) && slot !== slotOf(upTo)) continue
      for (const event of eventsOf(slot)) {
        if (event.cursor > last && event.cursor <= upTo && wish.wants(event)) due.push(event)
      }
    }
    return due
  }

  return {
    connect(at) {
      port = at
      connect()
    },
    cut() {
      capped?.noteEnd('cut')
      reconnect()
    },
    comeBack() {
      if (socket?.readyState === WebSocket.CLOSED) connect()
    },
    hasAll: (lastSlot) => holdings.every(({ wish, last }) => last >= lastWanted(wish, lastSlot)),
    counts: () => ({ ...counts, caps: capped?.usedUp() ?? 0 }),
    close() {
      isClosed = true
      socket?.terminate()
    },
  }
}

type GapFrame = Readonly<{
  fromSlot: number
  toSlot: number
  cause: string
  resume_from: string | null
}>

/** Returns the cursor of the last wanted event up to the end of a slot. */
function lastWanted({ wants }: Wish, lastSlot: number): string {
  for (let slot = lastSlot; slot > 1; slot--) {
    const event = eventsOf(slot).findLast(wants)
    if (event) return event.cursor
  }
  return START
}

function slotOf(cursor: string): number {
  return Number(cursor.split('-')[1])
}
