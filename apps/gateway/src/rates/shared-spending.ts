import type { Clock, Log } from '@pairwire/basics'
import type { Bus } from '@pairwire/bus'
import type { SpentMessage } from '@pairwire/contract'

/** What is spent at one gateway of the rates that hold across all. */
type Spent = Readonly<SpentMessage['spent'][string]>

/**
 * Rates of accounts and keys across gateways. Each gateway goes by its own count, and takes from it what the others
 * say was spent there; so a rate holds over time wherever its account connects, and nobody is asked when a request comes.
 */
export type SharedSpending = Readonly<{
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

/** Where there is no other gateway. */
export const ALONE: SharedSpending = { note() {}, tell() {}, close() {} }

/** Tells the other gateways now and then what was spent here. */
export function createSharedSpending({
  gatewayId,
  bus,
  clock,
  log,
  everyMs,
}: Readonly<{
  gatewayId: string
  bus: Pick<Bus, 'sendControl'>
  clock: Clock
  log: Log
  everyMs: number
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

  return {
    note(name, spent) {
      const before = noted.get(name) ?? NOTHING
      const sum = { ...before }
      for (const what of WHAT) sum[what] += spent[what] ?? 0
      noted.set(name, sum)
      cancel ??= clock.after(everyMs, tell)
    },
    tell,
    close: () => cancel?.(),
  }
}
