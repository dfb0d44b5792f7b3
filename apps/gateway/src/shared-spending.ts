import type { Bus } from '@pairwire/bus'
import type { SpentMessage } from '@pairwire/contract'
import type { Clock, Log } from '@pairwire/process'

/** What is spent at one gateway of the rates that hold across all. */
type Spent = Readonly<SpentMessage['spent'][string]>

/**
 * Rates of accounts and keys across gateways. Each gateway goes by its own count, and takes from it what the others
 * say was spent there; so a rate holds over time wherever its account connects, and nobody is asked when a request comes.
 */
type SharedSpending = Readonly<{
  /** Notes what was spent here; `name` is an account, or what a key is called. */
  note(name: string, spent: Partial<Spent>): void
  /** Tells what is noted now, before it can be read elsewhere, where it would count twice. */
  tell(): void
  close(): void
}>

/** Names in one message. */
const NAMES_PER_MESSAGE = 500

const NOTHING: Spent = { requests: 0, requestBytes: 0, resumes: 0, connects: 0, swaps: 0 }
const WHAT = Object.keys(NOTHING) as (keyof Spent)[] // its own names, by its type

/**
 * Tells the other gateways now and then what was spent here.
 *
 * @param draw takes what was spent at another gateway
 */
export function openSharedSpending({
  gatewayId,
  bus,
  clock,
  log,
  everyMs,
  draw,
}: Readonly<{
  gatewayId: string
  bus: Pick<Bus, 'sendControl' | 'onControl'>
  clock: Clock
  log: Log
  everyMs: number
  draw(name: string, spent: Spent): void
}>): SharedSpending {
  let noted = new Map<string, Spent>()
  let cancel: (() => void) | undefined

  const tell = () => {
    cancel?.()
    cancel = undefined
    const all = [...noted]
    noted = new Map()
    for (let at = 0; at < all.length; at += NAMES_PER_MESSAGE) {
      const spent = Object.fromEntries(all.slice(at, at + NAMES_PER_MESSAGE))
      bus.sendControl({ type: 'spent', gatewayId, spent }).catch((error: unknown) => {
        log.warn('The other gateways could not be told how much of their rates clients have used.', { error })
      })
    }
  }

  const leave = bus.onControl((message) => {
    if (message.type !== 'spent' || message.gatewayId === gatewayId) return
    for (const [name, spent] of Object.entries(message.spent)) draw(name, spent)
  })

  return {
    note(name, spent) {
      const before = noted.get(name) ?? NOTHING
      const sum = { ...before }
      for (const what of WHAT) sum[what] += spent[what] ?? 0
      noted.set(name, sum)
      cancel ??= clock.after(everyMs, tell)
    },
    tell,
    close() {
      leave()
      cancel?.()
    },
  }
}
