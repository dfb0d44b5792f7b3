import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A folder for one test, which is removed after it. */
export function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pairwire-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
