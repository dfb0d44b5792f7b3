import type { TestProject } from 'vitest/node'
import { startService } from './service.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    serviceUrl: string
    streamUrl: string
    dataFolder: string
  }
}

/** Starts the one service that most files share: the simulator at its default pace. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const service = await startService()
  project.provide('serviceUrl', service.url)
  project.provide('streamUrl', service.streamUrl)
  project.provide('dataFolder', service.dataFolder)
  return async () => {
    await service.stop()
  }
}
