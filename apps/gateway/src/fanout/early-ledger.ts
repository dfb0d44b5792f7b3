import {
  type EarlyMessage,
  type GapEvent,
  type NotificationEvent,
  type StreamEvent,
  slotOf,
} from '@pairwire/contract'

/** What subscribers to early events get, in this order. */
export type EarlyItem = NotificationEvent | GapEvent | TakenBack

/** Events of one slot that were sent early and are not on the chain. */
export type TakenBack = Readonly<{
  kind: 'takenBack'
  slot: number
  events: ReadonlySet<NotificationEvent>
}>

/** A transaction that was sent early, and the banks that executed it. */
type Executed = { readonly events: readonly NotificationEvent[]; banks: Bank[] }

type Bank = Readonly<{ source: number; bank: number }>

/** Most events held for open slots; the excess is sent with its block. */
const MAX_OPEN_EVENTS = 20_000

/**
 * What was sent early and what became of it. Whatever gets lost of the early messages, at the end of each slot those
 * who were sent its events have been sent exactly what was confirmed, less what was taken back:
 *
 *                     slot not seen yet     open: some of it sent           settled
 *     executed        sent, open            sent unless it was before       nothing
 *     bank died       nothing               only it has: taken back         nothing
 *     confirmed       all sent, settled     others taken back, what lacks   the chain restarted: all
 *                                           sent, settled                   open ones taken back
 *     passed by       settled               all taken back, settled         nothing
 *     gap             settled               all taken back, settled         nothing
 *
 * A slot is passed by when a later one is confirmed, so the next block resolves a broken stream, a restarted process or
 * a lost message. Transactions are the same if their events are, whatever the price.
 */
export class EarlyLedger {
  readonly #open = new Map<string, Map<string, Executed>>()
  #openEvents = 0
  /** Everything up to this slot is settled. */
  #settled = ''
  /** The confirmed events of a slot whose end has not come yet. */
  #confirming = new Map<string, NotificationEvent[]>()

  /** Takes a message ahead of confirmation. @returns the items to send */
  take(message: EarlyMessage): readonly EarlyItem[] {
    return message.kind === 'executed' ? this.#execute(message) : this.#bury(message)
  }

  /** Takes published events in chain order. @returns the items to send */
  confirm(published: readonly StreamEvent[]): readonly EarlyItem[] {
    const items: EarlyItem[] = []
    for (const event of published) {
      const slot = slotOf(event.cursor)
      if (event.kind === 'gap') {
        this.#settle(slot, items)
        items.push({ ...event, params: { ...event.params, resume_from: null } })
      } else if (event.kind === 'latestBlock') {
        this.#finish(slot, items)
        items.push(earlyOf(event))
      } else {
        const { signature } = event.params
        const known = this.#confirming.get(signature)
        if (known) known.push(event)
        else this.#confirming.set(signature, [event])
      }
    }
    return items
  }

  #execute(message: EarlyMessage & { kind: 'executed' }): readonly EarlyItem[] {
    const { slot, source, bank, signature, events } = message
    if (slot <= this.#settled || this.#openEvents + events.length > MAX_OPEN_EVENTS) return []
    const open = this.#open.get(slot) ?? new Map<string, Executed>()
    this.#open.set(slot, open)
    const known = open.get(signature)
    if (known) {
      known.banks.push({ source, bank })
      return []
    }
    open.set(signature, { events, banks: [{ source, bank }] })
    this.#openEvents += events.length
    return events
  }

  #bury({ slot, source, bank }: EarlyMessage & { kind: 'died' }): readonly EarlyItem[] {
    const open = this.#open.get(slot)
    if (!open) return []
    const gone: NotificationEvent[] = []
    for (const [signature, executed] of open) {
      executed.banks = executed.banks.filter(
        (each) => each.source !== source || (bank !== 0 && each.bank !== bank),
      )
      if (executed.banks.length > 0) continue
      open.delete(signature)
      this.#openEvents -= executed.events.length
      gone.push(...executed.events)
    }
    return takenBack(gone)
  }

  /** The slot is confirmed as published. */
  #finish(slot: string, items: EarlyItem[]): void {
    const confirmed = this.#confirming
    this.#confirming = new Map()
    // At or before what is settled, the chain has restarted.
    this.#takeBackBelow(slot <= this.#settled ? '~' : slot, items)

    const open = this.#open.get(slot)
    const gone: NotificationEvent[] = []
    for (const [signature, { events }] of open ?? []) {
      if (isSame(events, confirmed.get(signature))) confirmed.delete(signature)
      else gone.push(...events)
    }
    items.push(...takenBack(gone))
    this.#close(slot)
    this.#settled = slot
    for (const events of confirmed.values()) items.push(...events.map(earlyOf))
  }

  /** Nothing of this slot and the earlier ones will be confirmed. */
  #settle(slot: string, items: EarlyItem[]): void {
    this.#takeBackBelow(`${slot}~`, items)
    if (slot > this.#settled) this.#settled = slot
  }

  #takeBackBelow(limit: string, items: EarlyItem[]): void {
    for (const [slot, open] of this.#open) {
      if (slot >= limit) continue
      items.push(...takenBack([...open.values()].flatMap(({ events }) => events)))
      this.#close(slot)
    }
  }

  #close(slot: string): void {
    for (const { events } of this.#open.get(slot)?.values() ?? []) this.#openEvents -= events.length
    this.#open.delete(slot)
  }
}

/** Makes the early form of a confirmed event that was not sent early. */
function earlyOf(event: NotificationEvent): NotificationEvent {
  return { ...event, unplaced: true, commitment: 'processed' }
}

function takenBack(events: readonly NotificationEvent[]): readonly TakenBack[] {
  const [first] = events
  if (!first || first.kind === 'latestBlock') return []
  return [{ kind: 'takenBack', slot: first.params.slot, events: new Set(events) }]
}

/** Whether two executions of a transaction did the same. Prices, times and token details may differ. */
function isSame(
  executed: readonly NotificationEvent[],
  confirmed: readonly NotificationEvent[] | undefined,
): boolean {
  return (
    executed.length === confirmed?.length && executed.every((event, at) => didSame(event, confirmed[at]!))
  )
}

function didSame(left: NotificationEvent, right: NotificationEvent): boolean {
  if (left.kind === 'swap' && right.kind === 'swap') {
    const [one, other] = [left.params.swap, right.params.swap]
    return SWAP_FACTS.every((name) => one[name] === other[name])
  }
  if (left.kind === 'newPair' && right.kind === 'newPair') {
    const [one, other] = [left.params.pair, right.params.pair]
    return (
      PAIR_FACTS.every((name) => one[name] === other[name]) &&
      one.baseToken.account === other.baseToken.account &&
      one.quoteToken.account === other.quoteToken.account
    )
  }
  return false
}

const SWAP_FACTS = [
  'ammAccount',
  'baseAmount',
  'quoteAmount',
  'swapType',
  'walletAccount',
  'baseTokenMint',
  'quoteTokenMint',
  'quoteTokenLiquidity',
] as const

const PAIR_FACTS = [
  'ammAccount',
  'sourceExchange',
  'baseTokenLiquidityAdded',
  'quoteTokenLiquidityAdded',
  'migration',
] as const
