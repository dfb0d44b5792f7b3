import { AppError, routes, WEBHOOK_PATHS } from '@pairwire/contract'
import type { FastifyInstance } from 'fastify'
import type { ApiParts } from '../parts.ts'

const { register, deleteAccount, disconnect, resetKey, closeConnection, createOrder, startTrial, checkout } =
  routes

/** The calls of customers that change something. Signing in and out, reading and the provider's reports are not among them. */
const CHANGES = new Set(
  [
    ...[register, deleteAccount, disconnect, resetKey, closeConnection, createOrder, startTrial, checkout],
    ...Object.values(WEBHOOK_PATHS).filter(({ method }) => method !== 'GET'),
  ].map(({ method, path }) => `${method} ${path}`),
)

/** Seconds after which to retry, if maintenance has no end. */
const RETRY_SECONDS = 300

/** While maintenance is on, refuses customers' changes with 503 and the operator's sentence. */
export function refuseDuringMaintenance(
  app: FastifyInstance,
  { notices, clock }: Pick<ApiParts, 'notices' | 'clock'>,
): void {
  app.addHook('onRequest', async ({ method, routeOptions }, reply) => {
    const maintenance = notices.maintenance()
    if (!maintenance || !CHANGES.has(`${method} ${routeOptions.url}`)) return
    const { details, endsAt } = maintenance
    reply.header('retry-after', endsAt ? Math.ceil((endsAt.getTime() - clock()) / 1_000) : RETRY_SECONDS)
    throw new AppError('ERR_UNAVAILABLE', details)
  })
}
