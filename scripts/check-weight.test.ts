import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const script = new URL('./check-weight.mjs', import.meta.url).pathname

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'pairwire-weight-'))
  bound(10)
  exceptions('old.ts')
  write('knip.json', '{}')
  write('apps/web/src/page.ts', 8)
  git('init', '--quiet', '--initial-branch=main')
  commit()
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function write(path: string, content: string | number): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), typeof content === 'number' ? 'line\n'.repeat(content) : content)
}

function bound(most: number, more: object = {}): void {
  const rooms = [{ name: 'web', paths: ['apps/web', 'design'], bound: most }]
  write('scripts/weight.json', JSON.stringify({ rooms, folders: {}, ...more }))
}

function exceptions(...includes: string[]): void {
  write('biome.json', JSON.stringify({ overrides: [{ includes }] }))
}

function git(...args: string[]): void {
  execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@example.org', ...args], { cwd: root })
}

function commit(): void {
  git('add', '--all')
  git('commit', '--quiet', '--message=x')
}

/** The output of the check on the tree; empty if all is well. */
function faults(): string {
  try {
    execFileSync(process.execPath, [script, root], { stdio: 'pipe' })
    return ''
  } catch (error) {
    return String((error as { stderr: Buffer }).stderr)
  }
}

describe('check-weight', () => {
  it('counts production, but neither tests nor code made for them', () => {
    for (const path of ['page.test.ts', 'testing/page.ts', 'fixtures/page.ts', 'README.md'])
      write(`apps/web/src/${path}`, 100)

    expect(faults()).toBe('')
  })

  it('names the files that grew most since the commit before', () => {
    write('apps/web/src/page.ts', 9)
    commit()
    write('apps/web/src/page.ts', 30)
    write('design/tokens.css', 3)
    commit()
    const over =
      /^web: 33 lines of production, of 10\. Since [0-9a-f]{8} grew most: apps\/web\/src\/page\.ts \+21, design\/tokens\.css \+3\./

    expect(faults()).toMatch(over)
    write('apps/web/src/other.ts', 1)
    expect(faults()).toContain('design/tokens.css +3, apps/web/src/other.ts +1.')
  })

  it('accepts a higher bound only with a decision, and a lower one without', () => {
    bound(9)
    expect(faults()).toBe('')
    bound(20)
    expect(faults()).toContain('web: its bound in scripts/weight.json has grown without a decision.')

    write('docs/decisions/0200-more-web.md', 'What it buys, and what went instead.\n')

    expect(faults()).toBe('')
  })

  it('allows the bound of today to fall but not to rise', () => {
    const today = (lines: number) =>
      bound(10, { rooms: [{ name: 'web', paths: ['apps/web'], bound: 5, today: lines }] })
    today(9)
    commit()
    write('apps/web/src/page.ts', 2)

    today(8)
    expect(faults()).toBe('')
    today(10)
    expect(faults()).toContain('has grown without a decision')
  })

  it('requires a room for every file', () => {
    write('packages/new/src/index.ts', 1)

    expect(faults()).toBe('packages/new/src/index.ts: in no room of scripts/weight.json.\n')
  })

  it('allows a folder 25 files of production, and more only if weight.json says so', () => {
    bound(100)
    write('docs/decisions/0200-more-web.md', 'x')
    for (let number = 0; number < 25; number++) write(`apps/web/src/${number}.ts`, 1)
    expect(faults()).toBe('apps/web/src: 26 files of production, of 25.\n')

    bound(100, { folders: { 'apps/web/src': 26 } })

    expect(faults()).toBe('')
  })

  it('keeps production from importing test code', () => {
    write('apps/web/src/page.test.ts', "import { a } from './testing/a.ts'\n")
    expect(faults()).toBe('')

    write('apps/web/src/page.ts', "import { a } from './testing/a.ts'\n")
    expect(faults()).toBe('apps/web/src/page.ts: imports ./testing/a.ts, which is for tests.\n')
    write('apps/web/src/page.ts', "await import('@pairwire/bus/testing/nats-server')\n")
    expect(faults()).toContain('which is for tests')
  })

  it('allows the list of long files only to shrink', () => {
    exceptions('other.ts')
    expect(faults()).toBe('')

    exceptions('old.ts', 'other.ts')

    expect(faults()).toContain('biome.json: 2 files are excepted from its rules, 1 were.')
  })

  it('enforces the bounds without git', () => {
    rmSync(join(root, '.git'), { recursive: true })
    write('apps/web/src/page.ts', 11)

    expect(faults()).toBe('web: 11 lines of production, of 10. A higher bound needs a decision.\n')
  })
})
