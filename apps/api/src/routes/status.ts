import type { FastifyInstance } from 'fastify'
import type { Pages } from '../pages/page.ts'
import { statusPage } from '../pages/status.ts'
import type { ApiParts } from '../parts.ts'
import { askParts } from './health.ts'

/** GET /status: how the service is doing, for anyone, with live figures. */
export function addStatusRoute(app: FastifyInstance, parts: ApiParts, pages: Pages): void {
  app.get('/status', async (_request, reply) => {
    const notices = await parts.accounts.listStatus().catch(() => [])
    const main = statusPage({
      source: parts.sourceState(),
      gateway: parts.gatewayStats(),
      parts: await askParts(parts),
      notices,
      at: parts.clock(),
    })
    return pages.send(reply, {
      title: 'System Status',
      current: '/status',
      main,
      scripts: ['status.js'],
      cacheControl: 'no-store',
    })
  })
}
