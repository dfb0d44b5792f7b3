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
  { kind, url, token }: { kind: string; url: URL; token: string | undefined },
  hasGiven: boolean,
  { clock, signal }: Watch,
): Promise<Finding[]> {
  if (!(fault instanceof FeedError)) throw fault
  const findings: Finding[] = [{ isFatal: !hasGiven, sentence: fault.message }]
  if (fault.kind === 'unauthorised') {
    const sentence = 'No token was sent: SOLANA_SOURCE_TOKEN is not set.'
    return token === undefined ? [...findings, { isFatal: true, sentence }] : findings
  }
  if (hasGiven) return findings
  const other = await findOtherProtocol({ kind, url }, clock, signal)
  if (other === undefined) return findings
  return [
    ...findings,
    { isFatal: true, sentence: `This host and port answers ${other}://: use that in the address.` },
  ]
}
