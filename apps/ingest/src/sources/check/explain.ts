import { FeedError } from '../chain/feed.ts'
import type { Finding } from './describe-observed.ts'
import { findOtherProtocol } from './other-protocol.ts'
import type { Watch } from './report.ts'

/**
 * Why an endpoint could not be read, or not any more, and what would help. `hasGiven`: whether blocks came before.
 *
 * @throws the fault itself when it is none of an endpoint
 */
export async function explain(
  fault: unknown,
  { kind, url }: { kind: string; url: URL },
  hasGiven: boolean,
  { clock, signal }: Watch,
): Promise<Finding[]> {
  if (!(fault instanceof FeedError)) throw fault
  const isRefused = fault.kind === 'unauthorised'
  const findings: Finding[] = [{ isFatal: isRefused || !hasGiven, sentence: fault.message }]
  if (isRefused || hasGiven) return findings
  const other = await findOtherProtocol({ kind, url }, clock, signal)
  if (other === undefined) return findings
  return [
    ...findings,
    { isFatal: true, sentence: `This host and port answers ${other}://: use that in the address.` },
  ]
}
