import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, vi } from 'vitest'
import { freePort } from '../../packages/basics/src/testing/free-port.ts'

/** Added to titles while there is no Caddy; empty if there is one. */
export const noCaddy =
  spawnSync('caddy', ['version']).status === 0
    ? ''
    : ': there is no caddy on the PATH (apt-get install caddy)'

/** A Caddy with one of the shipped files. */
export type Caddy = Readonly<{
  port: number
  /** What it has logged. */
  logged(): string
  stop(): Promise<void>
}>

/** Starts one before ports of this machine, with `file` of `deploy/`. */
export async function startCaddy(
  file: string,
  { gateway, api }: Readonly<{ gateway: number; api: number }>,
): Promise<Caddy> {
  const folder = mkdtempSync(join(tmpdir(), 'pairwire-caddy-'))
  const port = await freePort()
  const config = join(folder, 'Caddyfile')
  const text = readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')
  // Addresses are of this machine, where others may run a Caddy too; nothing else differs from the file.
  writeFileSync(
    config,
    text
      .replaceAll(/gateway-\d:8080/g, `127.0.0.1:${gateway}`)
      .replace('api:8080', `127.0.0.1:${api}`)
      .replace(/^\{$/m, '{\nadmin off'),
  )
  const caddy = spawn('caddy', ['run', '--config', config, '--adapter', 'caddyfile'], {
    env: {
      ...{ PATH: process.env.PATH, HOME: folder },
      ...{ PUBLIC_HOST: `http://127.0.0.1:${port}`, PAIRWIRE: `127.0.0.1:${api}` },
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let logged = ''
  caddy.stderr.on('data', (bytes) => {
    logged += String(bytes)
  })
  const answers = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).status
  await vi.waitFor(async () => expect(await answers()).toBe(404), { timeout: 20_000 })
  return {
    port,
    logged: () => logged,
    async stop() {
      const gone = once(caddy, 'exit')
      // Without waiting for streams that nobody reads.
      caddy.kill('SIGKILL')
      await gone
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
