import { createLocalCheck } from '@pairwire/process'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ApiParts } from '../parts.ts'

/** A hook for pages that exist on this machine only: everyone else gets a 404. */
export function createLocalOnly(parts: Pick<ApiParts, 'isLocal'>) {
  const isFromHere = createLocalCheck(parts)
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    if (isFromHere(request)) return undefined
    reply.callNotFound()
    return reply
  }
}
