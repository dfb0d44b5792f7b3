import type { SourceState } from '@pairwire/contract'
import { exchangeName, SIMULATED_NOTICE, SOURCE_AWAY, type SystemStatus } from '@pairwire/contract'

/** Milliseconds behind the chain from which the banner says so. */
export const LAG_NOTICE_MS = 5_000

/** Events count as complete if this share of those in the last compared slots is right, given this many slots. */
const LEAST_RIGHT = 0.99
const LEAST_SLOTS = 10

/**
 * The items of the status banner; the dashboard shows the first: the operator's notices, newest first, then trouble with the
 * source, then that the data is simulated or from a chain other than mainnet. That last one is also added to the first item,
 * so that such data is never taken for real.
 */
export function composeSystemStatus(
  notices: SystemStatus,
  source: Pick<SourceState, 'up' | 'lagMs' | 'proof' | 'chain'>,
  simulated: boolean,
): SystemStatus {
  const troubles = [sourceTrouble(source), incompleteTrouble(source), decoderTrouble(source)]
  const items = [...notices, ...troubles.flatMap((Details) => (Details === undefined ? [] : [{ Details }]))]
  const cluster = clusterOf(source)
  const Details = isMadeUp(source, simulated) ? SIMULATED_NOTICE.words : cluster && `Data is from ${cluster}.`
  if (Details === undefined) return items

  const [first, ...others] = items
  if (!first) return [{ Details }]
  return [{ Details: `${first.Details} ${Details}` }, ...others, { Details }]
}

/** Whether nothing on the stream is real: it is simulated here, or by a stand-in for the chain. */
export function isMadeUp({ chain }: Pick<SourceState, 'chain'>, simulated: boolean): boolean {
  return simulated || chain === 'other'
}

/** The public chain without real value; undefined for mainnet. */
export function clusterOf({ chain }: Pick<SourceState, 'chain'>): 'devnet' | 'testnet' | undefined {
  return chain === 'devnet' || chain === 'testnet' ? chain : undefined
}

/** One sentence, or undefined while recent comparisons with the chain are right. */
export function incompleteTrouble({ proof }: Pick<SourceState, 'proof'>): string | undefined {
  const { slots, events, faults } = proof?.audit?.recent ?? { slots: 0, events: 0, faults: 0 }
  if (slots < LEAST_SLOTS || faults <= events * (1 - LEAST_RIGHT)) return undefined
  return `Some events are missing or wrong: ${faults} of ${events} in the last ${slots} slots that were checked.`
}

/** One sentence, or undefined while the decoders know all calls. */
function decoderTrouble({ proof }: Pick<SourceState, 'proof'>): string | undefined {
  const exchanges = [...new Set(proof?.decoderAlarms.map(({ exchange }) => exchangeName(exchange)))]
  if (exchanges.length === 0) return undefined
  return `Some ${exchanges.join(', ')} events may be missing: the service does not know all instructions yet.`
}

/** One sentence, or undefined while the source is well. */
export function sourceTrouble({ up, lagMs }: Pick<SourceState, 'up' | 'lagMs'>): string | undefined {
  if (!up) return SOURCE_AWAY
  if (lagMs !== null && lagMs > LAG_NOTICE_MS) {
    return `Events arrive late: the source is ${Math.round(lagMs / 1_000)} seconds behind.`
  }
  return undefined
}
