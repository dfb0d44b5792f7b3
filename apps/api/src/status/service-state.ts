import type { SourceState } from '@pairwire/contract'
import { incompleteTrouble, LAG_NOTICE_MS } from '../system-status.ts'

/** The state of the service: events flow, events flow late, or something that they need is away. */
type ServiceState = 'well' | 'late' | 'down'

/** The state and its cause: `lag`, `source`, `completeness` or the name of a part. */
export type Verdict = Readonly<{ state: ServiceState; cause: string }>

/** @param parts whether each part is up; undefined if they did not answer in time */
export function judge(
  source: Pick<SourceState, 'up' | 'lagMs' | 'proof'>,
  parts: Readonly<Record<string, boolean>> | undefined,
): Verdict {
  if (!source.up) return { state: 'down', cause: 'source' }
  const away = parts === undefined ? 'service' : Object.keys(parts).find((name) => parts[name] === false)
  if (away !== undefined) return { state: 'down', cause: away }
  if (source.lagMs !== null && source.lagMs > LAG_NOTICE_MS) return { state: 'late', cause: 'lag' }
  if (incompleteTrouble(source)) return { state: 'late', cause: 'completeness' }
  return { state: 'well', cause: '' }
}
