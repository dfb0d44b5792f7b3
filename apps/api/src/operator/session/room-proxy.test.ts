import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@pairwire/basics/testing/free-port'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createApiUnderTest, NO_ACCOUNTS } from '../../testing/api-under-test.ts'

const isThere = spawnSync('caddy', ['version']).status === 0

/** An address of this machine that is not a loopback one, from which a client is told from the proxy. */
const OPERATOR = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address

/** The shipped proxy in front of a service whose room has a host of its own; `ask` makes a request as a client does. */
async function createRoomBehind(file: string) {
  const { app } = await createApiUnderTest({
    accounts: NO_ACCOUNTS,
    ...{ adminAllow: `203.0.113.9, ${OPERATOR}`, adminUrl: 'https://room.example', isLocal: false },
    ...{ publicUrl: 'https://pairwire.example', production: true, trustProxy: ['loopback'] },
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const api = `127.0.0.1:${(app.server.address() as AddressInfo).port}`
  const folder = mkdtempSync(join(tmpdir(), 'pairwire-caddy-'))
  const port = await freePort()
  const config = join(folder, 'Caddyfile')
  const text = readFileSync(new URL(`../../../../../deploy/${file}`, import.meta.url), 'utf8')
  // Others may run a Caddy too.
  writeFileSync(config, text.replace(/^\{$/m, '{\nadmin off'))
  const site = (name: string) => `http://${name}:${port}`
  const caddy = spawn('caddy', ['run', '--config', config, '--adapter', 'caddyfile'], {
    env: {
      ...{ PATH: process.env.PATH, HOME: folder, API: api, PAIRWIRE: api, GATEWAYS: api },
      ...{ PUBLIC_HOST: site('pairwire.example'), ADMIN_URL: site('room.example') },
    },
    stdio: 'ignore',
  })
  onTestFinished(async () => {
    const gone = once(caddy, 'exit')
    caddy.kill()
    await gone
    await app.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const ask = (host: string, path: string, headers = {}, from = '127.0.0.1') =>
    new Promise<{ status: number; text: string }>((resolve, reject) => {
      const asked = request(
        { host: from, localAddress: from, port, path, headers: { host, ...headers } },
        async (answer) => {
          let text = ''
          for await (const piece of answer) text += piece
          resolve({ status: answer.statusCode!, text })
        },
      )
      asked.on('error', reject).end()
    })
  await vi.waitFor(async () => expect((await ask('pairwire.example', '/status')).status).toBe(200), {
    timeout: 20_000,
  })
  return { ask }
}

const WHY = !isThere ? ': there is no caddy on the PATH (apt-get install caddy)' : ''

// Guards the room: the proxy that we ship must not make a stranger an operator.
describe.skipIf(!isThere || !OPERATOR)(`the room behind the shipped proxy${WHY}`, () => {
  it.each(['Caddyfile', 'one-machine/Caddyfile'])(
    'of deploy/%s is there for its addresses on its own host, and for nobody who forges one',
    async (file) => {
      const { ask } = await createRoomBehind(file)
      const room = '/api/operator/session'
      const unknown = await ask('room.example', '/api/operator/unknown')

      expect((await ask('room.example', room, {}, OPERATOR)).status).toBe(401)
      for (const name of ['X-Forwarded-For', 'X-Real-IP', 'Forwarded', 'Client-IP']) {
        for (const address of [
          OPERATOR,
          '203.0.113.9',
          `203.0.113.9, ${OPERATOR}`,
          '127.0.0.1',
          'for=203.0.113.9',
        ]) {
          expect(await ask('room.example', room, { [name]: address }), `${name}: ${address}`).toEqual(unknown)
        }
      }
      expect(unknown.status).toBe(404)
      for (const [host, path] of [
        ['pairwire.example', room],
        ['pairwire.example', '/api/operator/account/list'],
        ['room.example', '/status'],
        ['room.example', '/metrics'],
        ['room.example', '/api/config'],
      ] as const) {
        expect((await ask(host, path, {}, OPERATOR)).status, `${host}${path}`).toBe(404)
      }
      const asOther = { 'x-forwarded-host': 'pairwire.example' }
      expect((await ask('room.example', '/status', asOther, OPERATOR)).status).toBe(404)
    },
  )
})
