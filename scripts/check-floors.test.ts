import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const script = new URL('./check-floors.mjs', import.meta.url).pathname

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'pairwire-floors-'))
  write('package.json', JSON.stringify({ devDependencies: { '@pairwire/chain-writer': '*' } }))
  for (const part of ['packages/contract', 'packages/decoders', 'packages/chain-writer', 'apps/ingest']) {
    const name = `@pairwire/${part.split('/')[1]}`
    const dependencies = { '@pairwire/chain-writer': '*', '@pairwire/decoders': '*' }
    write(`${part}/package.json`, JSON.stringify({ name, dependencies }))
  }
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
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

describe('check-floors', () => {
  it('lets the simulator and tests write bytes, and no other production code', () => {
    write('apps/ingest/src/sources/simulator/market.ts', "import { key } from '@pairwire/chain-writer'\n")
    write('packages/decoders/src/decode.test.ts', "import { key } from '@pairwire/chain-writer'\n")
    expect(faults()).toBe('')

    write('apps/ingest/src/sources/replay.ts', "import { key } from '@pairwire/chain-writer'\n")
    expect(faults()).toBe('apps/ingest/src/sources/replay.ts: may not import @pairwire/chain-writer.\n')
  })

  it('allows the simulator to be loaded only by import()', () => {
    write('apps/ingest/src/sources/simulator/market.ts', '')
    write('apps/ingest/src/sources/simulator.ts', "await import('./simulator/market.ts')\n")
    expect(faults()).toBe('')

    write('apps/ingest/src/sources/simulator.ts', "import { market } from './simulator/market.ts'\n")
    expect(faults()).toMatch('loads apps/ingest/src/sources/simulator at once')
  })

  it('lets a room of the gateway import only the rooms below it', () => {
    write('apps/gateway/package.json', JSON.stringify({ name: '@pairwire/gateway' }))
    write('apps/gateway/src/gateway.ts', "import { a } from './door/upgrades.ts'\n")
    write('apps/gateway/src/door/upgrades.ts', "import { b } from '../protocol/line.ts'\n")
    expect(faults()).toBe('')

    write('apps/gateway/src/protocol/line.ts', "import type { c } from '../door/refusal.ts'\n")
    expect(faults()).toBe('apps/gateway/src/protocol/line.ts: imports from a folder above its own.\n')
  })

  it('keeps programs apart, and allows the code beside them', () => {
    write('packages/decoders/src/programs/one/decode.ts', "import { a } from '../migration.ts'\n")
    write('packages/decoders/src/programs/two/decode.ts', "import { b } from '../../tokens/layout.ts'\n")
    expect(faults()).toBe('')

    write('packages/decoders/src/programs/two/decode.ts', "import { b } from '../one/decode.ts'\n")
    expect(faults()).toMatch('two/decode.ts: a program imports another, one.')
  })

  it('allows the writer of bytes only the types of the reader', () => {
    write('packages/chain-writer/src/write.ts', "import type { Transaction } from '@pairwire/decoders'\n")
    expect(faults()).toBe('')

    write('packages/chain-writer/src/write.ts', "import { decodeTransaction } from '@pairwire/decoders'\n")
    expect(faults()).toMatch('reader and writer would share mistakes')
  })
})
