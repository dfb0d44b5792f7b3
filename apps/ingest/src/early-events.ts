import { BoundedMap, type Clock } from '@pairwire/basics'
import type { Bus } from '@pairwire/bus'
import { formatSlot } from '@pairwire/contract'
import { enrichEarly, type Memory } from './enrich/enrich.ts'
import type { Token } from './enrich/event-params.ts'
import type { EarlySink } from './sources/source.ts'

/** What {@link createEarlyEvents} needs. */
type EarlyEventsParts = Readonly<{
  bus: Pick<Bus, 'publishEarly' | 'wantsEarly'>
  clock: Clock
  memory: Pick<Memory, 'prices' | 'tokens'>
  /** Called when a listener of the bus threw. */
  failed(error: unknown): void
}>

/** New tokens whose details are at hand until their block is confirmed, which takes a second or two. */
const UNCONFIRMED_TOKENS = 5_000

/** Makes events of executed, unconfirmed transactions, and sends them at once. */
export function createEarlyEvents({ bus, clock, memory, failed }: EarlyEventsParts): EarlySink {
  const publish: Bus['publishEarly'] = (message) => {
    try {
      bus.publishEarly(message)
    } catch (error) {
      failed(error)
    }
  }

  const launched = new BoundedMap<string, Token>(UNCONFIRMED_TOKENS)

  return {
    isWanted: bus.wantsEarly,
    executed({ run, slot, source, bank, blockTime }, { signature, index, decoded, prepared }) {
      if (decoded.events.length === 0) return
      const receivedAt = clock.now()
      const place = { run, slot, blockTime, transactionIndex: index ?? 0, signature, receivedAt }
      publish({
        ...{ kind: 'executed', slot: formatSlot({ run, slot }), source, bank },
        signature: prepared.signature,
        events: enrichEarly(decoded, place, memory, prepared, launched),
      })
    },
    died: ({ run, slot, source, bank }) =>
      publish({ kind: 'died', slot: formatSlot({ run, slot }), source, bank }),
  }
}
