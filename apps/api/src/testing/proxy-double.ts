import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { aFolder } from './doctor-under-test.ts'

/** A key and a certificate for a host, which is its own authority, good for so many days. */
export function aCertificate(host: string, days: number): { key: string; cert: string } {
  const folder = aFolder()
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const subject = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`, '-days', String(days)]
  execFileSync('openssl', ['req', ...kind, '-keyout', key, '-out', cert, ...subject], { stdio: 'ignore' })
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') }
}

/**
 * Starts a proxy for TLS in front of a service on this machine. It opens websockets itself.
 *
 * @param over.forwards what it writes into `X-Forwarded-For`; nothing by default
 * @param over.passesWebsockets true by default
 * @returns its port
 */
export async function startProxy(
  certificate: { key: string; cert: string },
  target: number,
  over: { forwards?: string; passesWebsockets?: boolean } = {},
): Promise<number> {
  const server = createServer(certificate, (asked, answer) => {
    const headers = { ...asked.headers, ...(over.forwards && { 'x-forwarded-for': over.forwards }) }
    const { upgrade: _upgrade, connection: _connection, ...plain } = headers
    const options = { host: '127.0.0.1', port: target, path: asked.url, headers: plain }
    request(options, (response) => {
      answer.writeHead(response.statusCode!, response.headers)
      response.pipe(answer)
    })
      .on('error', () => answer.destroy())
      .end()
  })
  if (over.passesWebsockets !== false) {
    server.on('upgrade', (_asked, socket) => {
      socket.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n')
    })
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}
