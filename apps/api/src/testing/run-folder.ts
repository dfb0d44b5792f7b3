import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  export interface ProvidedContext {
    /** A folder that is removed after the run, since what a worker leaves open outlives its files. */
    runFolder: string
  }
}

/** Makes the folder of one run of the tests. */
export default function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'pairwire-api-'))
  project.provide('runFolder', folder)
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
}
