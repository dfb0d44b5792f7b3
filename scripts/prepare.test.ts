import { execFile, execFileSync, spawnSync } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { enter } from './prepare.mjs'

describe('preparing a clone', () => {
  let folder: string

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'pairwire-prepare-'))
  })

  afterEach(() => rmSync(folder, { recursive: true }))

  it('is done by one process at a time', async () => {
    const leave = await enter(folder)
    let isIn = false
    const next = enter(folder).then((leaveToo) => {
      isIn = true
      return leaveToo
    })
    await new Promise((resolve) => setImmediate(resolve))
    expect(isIn).toBe(false)

    leave()

    const leaveToo = await next
    leaveToo()
  })

  it('continues after the process doing it was killed', async () => {
    const { pid } = spawnSync(process.execPath, ['--eval', ''])
    writeFileSync(join(folder, 'preparing'), String(pid))

    const leave = await enter(folder)

    leave()
  })

  // Guards containers, where each start has the same id: it would wait for itself.
  it('continues after a killed process that had our own id', async () => {
    const lock = join(folder, 'preparing')
    writeFileSync(lock, String(process.pid))
    utimesSync(lock, 1_000_000_000, 1_000_000_000)

    const leave = await enter(folder)

    leave()
  })

  // Guards machines that were restarted: another process has the id by now.
  it('continues after a killed process whose id another one has', async () => {
    writeFileSync(join(folder, 'preparing'), String(process.ppid))

    const leave = await enter(folder, async () => {})

    leave()
  })

  // Guards the start of a service beside the operator's tool, after both were killed.
  it('leaves it to one process at a time to remove what a killed one left, as the next may be in by then', async () => {
    const lock = join(folder, 'preparing')
    const { pid } = spawnSync(process.execPath, ['--eval', ''])
    writeFileSync(lock, String(pid))
    const removing = join(folder, 'left', 'preparing')
    mkdirSync(join(folder, 'left'))
    writeFileSync(removing, String(process.ppid))
    let looks = 0
    const pause = async () => {
      looks++
      if (looks === 1) writeFileSync(lock, String(process.ppid))
      rmSync(looks === 1 ? removing : lock)
    }

    const leave = await enter(folder, pause)

    expect(looks).toBe(2)
    leave()
  })

  it('lets several processes in one after the other, whenever one leaves', async () => {
    const program = `
      import { rmSync, writeFileSync } from 'node:fs'
      import { setTimeout } from 'node:timers/promises'
      import { enter } from '${new URL('./prepare.mjs', import.meta.url)}'
      for (let times = 0; times < 200; times++) {
        const leave = await enter('${folder}', () => setTimeout(5))
        writeFileSync('${folder}/in', '', { flag: 'wx' })
        rmSync('${folder}/in')
        leave()
      }`
    const args = ['--input-type=module', '--eval', program]
    const runs = Array.from({ length: 4 }, () => promisify(execFile)(process.execPath, args))

    await expect(Promise.all(runs)).resolves.toHaveLength(4)
  })

  it('waits for a process that gives signs of life for as long as it does', async () => {
    const lock = join(folder, 'preparing')
    writeFileSync(lock, String(process.ppid))
    let looks = 0
    const pause = async () => {
      looks++
      if (looks % 500 === 0) utimesSync(lock, looks, looks)
      if (looks === 2_000) rmSync(lock)
    }

    const leave = await enter(folder, pause)

    expect(looks).toBe(2_000)
    leave()
  })

  it('gives a sign of life every second', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const lock = join(folder, 'preparing')
    const leave = await enter(folder)
    utimesSync(lock, 1_000_000_000, 1_000_000_000)

    vi.advanceTimersByTime(1_000)

    await expect.poll(() => statSync(lock).mtimeMs).toBeGreaterThan(1_000_000_000_000)
    leave()
    expect(vi.getTimerCount()).toBe(0)
  })

  // Guards services that run on this clone: an installation removes their modules.
  it('is a command whose work remains valid for a copy of the clone, at any path', () => {
    const clone = join(folder, 'clone')
    mkdirSync(join(clone, 'scripts'), { recursive: true })
    mkdirSync(join(clone, 'src'))
    writeFileSync(join(clone, 'src/main.ts'), '{}')
    const modules = { 'node_modules/a': { version: '1.2.3' } }
    const others = { '': { version: '1.0.0' }, 'node_modules/mac': { version: '1.0.0', optional: true } }
    writeFileSync(join(clone, 'package-lock.json'), JSON.stringify({ packages: { ...others, ...modules } }))
    copyFileSync(new URL('./prepare.mjs', import.meta.url), join(clone, 'scripts/prepare.mjs'))
    const npm = join(folder, 'npm.js')
    const say = (word: string) => `require('fs').appendFileSync('said', '${word} ')`
    const installed = JSON.stringify(JSON.stringify({ packages: modules }))
    writeFileSync(
      npm,
      `${say('installed')}; require('fs').mkdirSync('node_modules', { recursive: true })
require('fs').writeFileSync('node_modules/.package-lock.json', ${installed})`,
    )
    writeFileSync(
      join(clone, 'scripts/build.mjs'),
      `import { createRequire } from 'node:module'
import { buildIfStale } from './prepare.mjs'
const require = createRequire(import.meta.url)
await buildIfStale('server', 'said', ['package-lock.json', 'src'], async () => ${say('built')})`,
    )
    const prepare = (place: string) => {
      const env = { ...process.env, npm_execpath: npm }
      execFileSync(process.execPath, [join(place, 'scripts/prepare.mjs')], { cwd: place, env, stdio: 'pipe' })
      return readFileSync(join(place, 'said'), 'utf8')
    }
    expect(prepare(clone)).toBe('installed built ')

    cpSync(clone, join(folder, 'copy'), { recursive: true, preserveTimestamps: true })

    expect(prepare(join(folder, 'copy'))).toBe('installed built ')
    writeFileSync(join(folder, 'copy/src/main.ts'), 'changed')
    expect(prepare(join(folder, 'copy'))).toBe('installed built built ')
    modules['node_modules/a'].version = '1.2.4'
    writeFileSync(join(folder, 'copy/package-lock.json'), JSON.stringify({ packages: modules }))
    expect(prepare(join(folder, 'copy'))).toBe('installed built built installed built ')
  })
})
