import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../packages/basics/src/testing/free-port.ts'
import { type NatsServer, startNatsServer } from '../../packages/bus/src/testing/nats-server.ts'
import { root } from '../service.ts'

/** Passwords of the servers in `.env`; also that of `whole`, a login without restrictions. */
export const PASSWORDS = {
  POSTGRES_PASSWORD: 'secret',
  NATS_INGEST_PASSWORD: 'secret',
  NATS_GATEWAY_PASSWORD: 'secret',
  NATS_API_PASSWORD: 'secret',
  NATS_ARCHIVER_PASSWORD: 'secret',
}

/** The line that nats-server 2.9 does not know; 2.10 and newer get the file unchanged. */
const NEW_LINE = '  sync_interval: always\n'

/** Whether this machine's nats-server is a 2.9. */
export function isOldNats(): boolean {
  return execFileSync('nats-server', ['--version'], { encoding: 'utf8' }).includes(' v2.9.')
}

/** `deploy/nats.conf` in a form that this machine's nats-server can read: CI has one that reads it unchanged. */
export function shippedConf(): string {
  const conf = readFileSync(join(root, 'deploy/nats.conf'), 'utf8')
  return isOldNats() ? conf.replace(NEW_LINE, '') : conf
}

/** Runs it; only the port of its `monitor` differs, and there is one more login. */
export async function startShippedNats(): Promise<NatsServer & Readonly<{ monitor: string }>> {
  const monitor = `127.0.0.1:${await freePort()}`
  const conf = shippedConf()
    .replace('127.0.0.1:8222', monitor)
    .replace('users: [', 'users: [\n    { user: whole, password: secret }')
  return { ...(await startNatsServer(conf, PASSWORDS)), monitor: `http://${monitor}` }
}
