import type { OwnPages } from '@pairwire/public-fetch'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { drawToken } from '../logos/draw-token.ts'
import type { ApiParts } from '../parts.ts'

/**
 * Pages and pictures of made-up tokens, in place of the strangers' hosts where those of the chain have them. The
 * caller keeps strangers out.
 */
export function addDevTokenRoutes(
  app: FastifyInstance,
  { ownPages: { prefix }, lookUpTokens }: Pick<ApiParts, 'lookUpTokens'> & { ownPages: OwnPages },
): void {
  const find = async ({ params }: FastifyRequest<{ Params: { mint: string } }>) => {
    const { mint } = params
    return (await lookUpTokens([mint]))[mint]
  }

  app.get<{ Params: { mint: string } }>('/dev/tokens/:mint.json', async (request, reply) => {
    const token = await find(request)
    if (!token) return reply.callNotFound()
    const { mint } = request.params
    const { name, symbol } = token
    const account = (name ?? mint).replace(/\W/g, '').toLowerCase()
    return reply.header('cache-control', 'no-store').send({
      name,
      symbol,
      description: 'A token that the simulator made up.',
      image: `${prefix}${mint}.png`,
      website: `https://${account}.example/`,
      twitter: `https://x.com/${account}`,
    })
  })

  app.get<{ Params: { mint: string } }>('/dev/tokens/:mint.png', async (request, reply) => {
    if (!(await find(request))) return reply.callNotFound()
    return reply.header('cache-control', 'no-store').type('image/png').send(drawToken(request.params.mint))
  })
}
