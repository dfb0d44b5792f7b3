import type { SourceState } from '@pairwire/contract'
import { exchangeName, SIMULATED_NOTICE, SOURCE_AWAY, type SystemStatus } from '@pairwire/contract'

/** Milliseconds behind the chain from which people are told. */
export const LAG_NOTICE_MS = 5_000

/**
 * The items of the status banner, of which the dashboard shows the first: the operator's notices, newest first,
 * then trouble with the source, then that the data is simulated. That last one is also added to whichever stands
 * first, so that simulated data is never taken for real.
 */
export function composeSystemStatus(
  notices: SystemStatus,
  source: Pick<SourceState, 'up' | 'lagMs' | 'proof'>,
  simulated: boolean,
): SystemStatus {
  const troubles = [sourceTrouble(source), decoderTrouble(source)].filter((each) => each !== undefined)
  const items = [...notices, ...troubles.map((Details) => ({ Details }))]
  if (!simulated) return items

  const [first, ...others] = items
  if (!first) return [{ Details: SIMULATED_NOTICE.words }]
  return [
    { Details: `${first.Details} ${SIMULATED_NOTICE.words}` },
    ...others,
    { Details: SIMULATED_NOTICE.words },
  ]
}

/** One sentence, or undefined while every program is called as the decoders know. */
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
