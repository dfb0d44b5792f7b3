import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { ownFolder } from './own-folder.ts'

it('clears away what a process left that is no more, and leaves alone what another one has', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'pairwire-own-'))
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }))
  for (const pid of [999_999_999, process.pid, process.ppid]) mkdirSync(join(parent, String(pid)))

  expect(await ownFolder(parent)).toBe(join(parent, String(process.pid)))
  expect(readdirSync(parent)).toEqual([String(process.ppid)])
})
