import { HEALTH_TIMEOUT_MS, healthAnswer, readyAnswer } from '@pairwire/process'
import type { FastifyInstance } from 'fastify'
import type { ApiParts } from '../parts.ts'

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
    const { status, body } = await healthAnswer(parts, timeoutMs)
    return reply.code(status).header('cache-control', 'no-store').send(body)
  })

  app.get('/readyz', async (_request, reply) => {
    const { status, body } = readyAnswer(!closing && parts.ready())
    return reply.code(status).header('cache-control', 'no-store').send(body)
  })
}
