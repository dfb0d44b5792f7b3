import type { OwnPages } from '@pairwire/public-fetch'
import type { FastifyInstance } from 'fastify'
import type { ApiParts } from '../parts.ts'
import { mintOfFile, tokenFile } from '../token-files/token-file.ts'

/**
 * Pages and pictures of simulated tokens, which for tokens of the chain are on strangers' hosts. The caller keeps strangers
 * out.
 */
export function addDevTokenRoutes(
  app: FastifyInstance,
  { ownPages: { prefix }, lookUpTokens }: Pick<ApiParts, 'lookUpTokens'> & { ownPages: OwnPages },
): void {
  app.get<{ Params: { name: string } }>('/dev/tokens/:name', async ({ params: { name } }, reply) => {
    const mint = mintOfFile(name)
    const token = mint === undefined ? undefined : (await lookUpTokens([mint]))[mint]
    const file = token && tokenFile(name, prefix, token)
    if (!file) return reply.callNotFound()
    return reply.header('cache-control', 'no-store').type(file.type).send(file.body)
  })
}
