import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type NatsServer, startNatsServer } from '../../packages/bus/src/testing/nats-server.ts'
import { freePort, root } from '../service.ts'

/** What `.env` names for the servers; also the password of `whole`, a login without permissions. */
export const PASSWORDS = {
  POSTGRES_PASSWORD: 'secret',
  NATS_INGEST_PASSWORD: 'secret',
  NATS_GATEWAY_PASSWORD: 'secret',
  NATS_API_PASSWORD: 'secret',
  NATS_ARCHIVER_PASSWORD: 'secret',
}

/** The line that nats-server 2.9 does not know yet; 2.10 and newer get the file as it is. */
const NEW_LINE = '  sync_interval: always\n'

/** Whether the nats-server of this machine is one of those. */
export function isOldNats(): boolean {
  return execFileSync('nats-server', ['--version'], { encoding: 'utf8' }).includes(' v2.9.')
}

/** `deploy/nats.conf` as the nats-server of this machine can read it: CI has one that reads it as it is. */
export function shippedConf(): string {
  const conf = readFileSync(join(root, 'deploy/nats.conf'), 'utf8')
  return isOldNats() ? conf.replace(NEW_LINE, '') : conf
}

/** Runs it; only the port of its `monitor` is another one, and there is one more login. */
export async function startShippedNats(): Promise<NatsServer & Readonly<{ monitor: string }>> {
  const monitor = `127.0.0.1:${await freePort()}`
  const conf = shippedConf()
    .replace('127.0.0.1:8222', monitor)
    .replace('users: [', 'users: [\n    { user: whole, password: secret }')
  return { ...(await startNatsServer(conf, PASSWORDS)), monitor: `http://${monitor}` }
}
