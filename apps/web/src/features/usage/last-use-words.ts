import type { Connections } from '@pairwire/contract'
import { HOUR_MS } from '@pairwire/contract/time-units'
import { relativeTime } from '../../locale/relative-time.ts'
import { momentWords } from './moment-words.ts'

/** When the key was last used, shown beside it; `undefined` when that is not known. */
export function lastUseWords(connections: Connections | undefined): string | undefined {
  if (!connections) return undefined
  if (connections.open.length > 0) return 'In use now'
  const [last] = connections.closed
  if (!last) return undefined
  const [now, at] = [Date.parse(connections.at), Date.parse(last.closedAt)]
  return now - at < HOUR_MS ? `Last used ${relativeTime(at, now)}` : `Last used ${momentWords(last.closedAt)}`
}
