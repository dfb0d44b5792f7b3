import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'

const FOLDER = fileURLToPath(new URL('.', import.meta.url))

/** Runs a main loop under a watchdog of 400 ms. @returns how often systemd was told, and what was printed */
async function run(program: string, { hasSystemd = true } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'pairwire-watchdog-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const told = join(folder, 'told')
  writeFileSync(told, '')
  writeFileSync(join(folder, 'systemd-notify'), `#!/bin/sh\necho "$@" >> ${told}\n`)
  if (hasSystemd) chmodSync(join(folder, 'systemd-notify'), 0o755)
  const child = spawn(process.execPath, ['--import', './watchdog.mjs', '--eval', program], {
    cwd: FOLDER,
    env: { PATH: folder, WATCHDOG_USEC: '400000', TOLD: told },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (output += bytes))
  const [status] = await once(child, 'close')
  expect(status, output).toBe(0)
  return { told: readFileSync(told, 'utf8').split('\n').filter(Boolean), output }
}

/** Ends once systemd was told so often. */
const UNTIL = (times: number, then: string) => `
  const told = () => require('fs').readFileSync(process.env.TOLD, 'utf8').split('\\n').length - 1
  const timer = setInterval(() => { if (told() >= ${times}) { clearInterval(timer); ${then} } }, 1)`

describe('the watchdog of the units', () => {
  it('is fed for as long as the main loop turns, and keeps no process alive', async () => {
    const { told } = await run(UNTIL(3, ''))

    expect(new Set(told)).toEqual(new Set(['WATCHDOG=1']))
    expect(told.length).toBeGreaterThanOrEqual(3)
  })

  // Guards the one promise of a watchdog.
  it('is not fed by a main loop that stands still, whatever its threads do', async () => {
    const { output } = await run(
      UNTIL(
        1,
        `
        new (require('worker_threads').Worker)('setTimeout(() => {}, 1e6)', { eval: true })
        // Fifteen times as long as it is from one time to the next.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500)
        console.log(told())
        process.exit(0)`,
      ),
    )

    // The first, and what was under way.
    expect(Number(output)).toBeLessThan(5)
  })

  it('says so where systemd cannot be told, and leaves the service alone', async () => {
    const ends =
      'console.error = (line) => { console.log(line); process.exit(0) }; setInterval(() => {}, 1_000)'

    const { output } = await run(ends, { hasSystemd: false })

    expect(output).toContain('The watchdog of systemd cannot be told: spawn systemd-notify E')
  })

  it('is loaded by every unit, and asked for by each', () => {
    const units = readdirSync(FOLDER).filter((name) => name.endsWith('.service'))

    expect(units).toHaveLength(5)
    for (const unit of units) {
      const text = readFileSync(join(FOLDER, unit), 'utf8')
      expect(text).toContain(' --import ./deploy/systemd/watchdog.mjs apps/standalone/dist/')
      expect(text).toMatch(/^WatchdogSec=120\nNotifyAccess=all$/m)
    }
  })
})
