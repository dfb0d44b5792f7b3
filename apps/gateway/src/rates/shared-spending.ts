import type { Clock, Log } from '@pairwire/basics'
import type { Bus } from '@pairwire/bus'
import type { SpentMessage } from '@pairwire/contract'

/** Amounts spent at one gateway of rates that hold across all. */
type Spent = Readonly<SpentMessage['spent'][string]>

/**
 * Shares the spending of accounts and keys between gateways. Each gateway goes by its own count, and subtracts what the
 * others report. So a rate holds over time wherever its account connects, and no request waits for another gateway.
 */
export type SharedSpending = Readonly<{
  /** Records spending here; `name` is an account or the name of a key. */
  note(name: string, spent: Partial<Spent>): void
  /** Publishes what is recorded, before it can be read elsewhere, where it would count twice. */
  tell(): void
  close(): void
}>

/** Names in one message. */
const NAMES_PER_MESSAGE = 500

const NOTHING: Spent = { requests: 0, requestBytes: 0, resumes: 0, connects: 0, swaps: 0 }
const WHAT = Object.keys(NOTHING) as (keyof Spent)[] // its own names, by its type

/** For a gateway without others. */
export const ALONE: SharedSpending = { note() {}, tell() {}, close() {} }

/** Tells the other gateways at intervals what was spent here. */
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
