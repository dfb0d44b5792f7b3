import { once } from 'node:events'
import { isIP } from 'node:net'
import { connect } from 'node:tls'

/** Milliseconds in which an address has to answer. */
const ANSWER_MS = 5_000

/**
 * When the certificate of an https address expires, in Unix milliseconds; Infinity for another kind of address, undefined if
 * nobody answers there. Whether the certificate is good for the address is not asked.
 */
export async function readCertificateEnd(url: string): Promise<number | undefined> {
  const { protocol, hostname, port } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  if (protocol !== 'https:') return Number.POSITIVE_INFINITY
  const socket = connect({
    ...{ host, port: Number(port || 443), servername: isIP(host) ? '' : host, rejectUnauthorized: false },
    timeout: ANSWER_MS,
  })
  socket.once('timeout', () => socket.destroy(new Error('timed out')))
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(ANSWER_MS) })
    return Date.parse(socket.getPeerCertificate().valid_to)
  } catch {
    return undefined
  } finally {
    socket.destroy()
  }
}
