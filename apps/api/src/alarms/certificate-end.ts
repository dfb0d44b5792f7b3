import { askAt } from '../ask-ourselves.ts'

/** Milliseconds in which an address has to answer. */
const ANSWER_MS = 5_000

/**
 * When the certificate of an https address expires, in Unix milliseconds; Infinity for another kind of address, undefined if
 * nobody answers there. Whether the certificate is good for the address is not asked.
 */
export async function readCertificateEnd(address: string): Promise<number | undefined> {
  const url = new URL(address)
  if (url.protocol !== 'https:') return Number.POSITIVE_INFINITY
  const asked = askAt(url.hostname, url, { signal: AbortSignal.timeout(ANSWER_MS) })
  return asked.then(({ certificate }) => certificate?.endsAt).catch(() => undefined)
}
