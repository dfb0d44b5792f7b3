import type { FastifyInstance } from 'fastify'
import type { ApiParts } from '../parts.ts'

/** Milliseconds for the parts to say whether they are up. */
export const HEALTH_TIMEOUT_MS = 2_000

/** GET /healthz: 200 while every part is up. GET /readyz: 200 while it may take traffic. Else 503. */
export function addHealthRoutes(
  app: FastifyInstance,
  parts: Pick<ApiParts, 'health' | 'ready'>,
  timeoutMs = HEALTH_TIMEOUT_MS,
): void {
  let closing = false
  app.addHook('preClose', async () => {
    closing = true
  })

  app.get('/healthz', async (_request, reply) => {
    const answers = await askParts(parts, timeoutMs)
    const up = answers !== undefined && Object.values(answers).every(Boolean)
    return reply
      .code(up ? 200 : 503)
      .header('cache-control', 'no-store')
      .send({ status: up ? 'up' : 'down', parts: answers ?? {} })
  })

  app.get('/readyz', async (_request, reply) => {
    const ready = !closing && parts.ready()
    return reply
      .code(ready ? 200 : 503)
      .header('cache-control', 'no-store')
      .send({ ready })
  })
}

/** @returns undefined when the parts do not answer in time, which counts as down */
export async function askParts(
  parts: Pick<ApiParts, 'health'>,
  timeoutMs = HEALTH_TIMEOUT_MS,
): Promise<Readonly<Record<string, boolean>> | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), timeoutMs)
  })
  try {
    return await Promise.race([parts.health(), late])
  } catch {
    return undefined
  } finally {
    clearTimeout(timer)
  }
}
