import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { RouteParts } from '../../routes/api-route.ts'
import { plainOf } from '../session/room-door.ts'

/** Where a deployment proves who it is. */
export const PROOF_PATH = '/.well-known/pairwire/'

/** What the service sees of a request's way: its address, the connection's, and those that proxies forwarded. */
export type SeenWay = Readonly<{ address: string; peer: string; forwarded: readonly string[] }>

/**
 * What only a holder of the deployment's secret knows of a nonce. A service that answers with it is this deployment, and a
 * client that asks with it may learn what the service sees of the way.
 */
export function proofOf(secret: Uint8Array, nonce: string, by: 'answer' | 'question'): string {
  return createHmac('sha256', secret).update(`pairwire ${by} ${nonce}`).digest('hex')
}

/**
 * `GET /.well-known/pairwire/<nonce>`: a keyed hash of the nonce, the same from every api of a deployment. With `?proof=`, which
 * the doctor can make, it answers what the service sees of the request's way instead.
 */
export function addDeploymentProof(
  app: FastifyInstance,
  { sessionSecret, limits }: Pick<RouteParts, 'sessionSecret' | 'limits'>,
): void {
  app.get<{ Params: { nonce: string }; Querystring: { proof?: string } }>(
    `${PROOF_PATH}:nonce`,
    { onRequest: limits.statusPerAddress },
    async ({ headers, ip, params: { nonce }, query, socket }, reply) => {
      if (!/^[0-9a-f]{32}$/.test(nonce)) return reply.callNotFound()
      reply.header('cache-control', 'no-store').type('text/plain')
      const wanted = Buffer.from(proofOf(sessionSecret, nonce, 'question'))
      const given = Buffer.from(String(query.proof))
      const isProved = given.length === wanted.length && timingSafeEqual(given, wanted)
      if (!isProved) return proofOf(sessionSecret, nonce, 'answer')
      const forwarded = String(headers['x-forwarded-for'] ?? '').split(',')
      const seen: SeenWay = {
        address: plainOf(ip),
        peer: plainOf(socket.remoteAddress ?? ''),
        forwarded: forwarded.map((one) => one.trim()).filter(Boolean),
      }
      return JSON.stringify(seen)
    },
  )
}
