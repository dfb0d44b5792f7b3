import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

/** A program of a test's clone in place of the built one: says what it reads from the environment. */
const PROGRAM = 'console.log(JSON.stringify([process.env.PORT, process.env.SOLANA_SOURCE]))'

/** In place of the steps that bring a clone up to date. */
const NOTHING_TO_DO = "export * from './prepare.js'\nexport async function prepare() {}\n"

describe.each([
  ['npm start', 'scripts/start.mjs', 'main.js'],
  ['the operator’s tool', 'bin/pairwire.js', 'pairwire.js'],
])('%s', (_, script, program) => {
  let clone: string

  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(clone, path)), { recursive: true })
    writeFileSync(join(clone, path), text)
  }
  const start = (environment: Record<string, string>) => {
    const { stdout, stderr } = spawnSync(process.execPath, [join(clone, script)], {
      cwd: tmpdir(),
      env: { PATH: process.env.PATH, ...environment },
      encoding: 'utf8',
    })
    return { read: stdout && JSON.parse(stdout), stderr }
  }

  beforeEach(() => {
    clone = mkdtempSync(join(tmpdir(), 'pairwire-env-'))
    put('package.json', '{"type":"module"}')
    put(`apps/standalone/dist/${program}`, PROGRAM)
    put('scripts/prepare.mjs', NOTHING_TO_DO)
    mkdirSync(join(clone, 'bin'), { recursive: true })
    copyFileSync(new URL('./prepare.mjs', import.meta.url), join(clone, 'scripts/prepare.js'))
    copyFileSync(new URL(`../${script}`, import.meta.url), join(clone, script))
  })
  afterEach(() => rmSync(clone, { recursive: true }))

  it('reads .env beside package.json, from any folder', () => {
    put('.env', '# a comment\nPORT=8090\nSOLANA_SOURCE="replay:/my recordings"\n')

    expect(start({})).toEqual({ read: ['8090', 'replay:/my recordings'], stderr: '' })
  })

  it('gives way to the real environment, and needs no file', () => {
    expect(start({}).read).toEqual([null, null])
    put('.env', 'PORT=8090\nSOLANA_SOURCE=simulator\n')

    expect(start({ PORT: '1234' }).read).toEqual(['1234', 'simulator'])
  })

  // Guards `npm test` on the checkout of somebody who runs a service from it.
  it('reads no .env for a test', () => {
    put('.env', 'PORT=nonsense\nSOLANA_SOURCE=nowhere://\n')
    const { VITEST = '' } = process.env

    expect(start({ VITEST }).read).toEqual([null, null])
  })
})
