import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { startService } from './service.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    serviceUrl: string
    streamUrl: string
    dataFolder: string
  }
}

/**
 * Starts the one service that most files share: the simulator at its default pace. Before it, makes the data
 * folder of which every service of the tests gets a copy, since an empty one costs seconds of a core each time.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const template = mkdtempSync(join(tmpdir(), 'pairwire-template-'))
  await (await startService({}, { dataFolder: template })).stop()
  // What one service measured is no other's past.
  rmSync(join(template, 'status.json'), { force: true })
  process.env.PAIRWIRE_E2E_TEMPLATE = template

  const service = await startService()
  project.provide('serviceUrl', service.url)
  project.provide('streamUrl', service.streamUrl)
  project.provide('dataFolder', service.dataFolder)
  return async () => {
    await service.stop()
    rmSync(template, { recursive: true, force: true })
  }
}
