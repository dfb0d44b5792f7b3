import { randomBytes } from 'node:crypto'
import { nameOf } from '@pairwire/basics'
import { isApiKey } from '@pairwire/contract'
import type { FastifyInstance, FastifyReply } from 'fastify'
import {
  BAD_KEY,
  type FrameUser,
  frameExamples,
  frameLine,
  framePage,
  KEYS_AWAY,
} from '../pages/code-examples-frame.ts'
import type { CodeSamples } from '../pages/code-samples.ts'
import type { Html } from '../pages/html.ts'
import { readLook } from '../pages/look.ts'
import type { ApiParts } from '../parts.ts'
import type { RateLimits } from '../plugins/rate-limit.ts'

/**
 * GET /frame/code-examples?key=: the code examples as a separate page, which only our own pages may frame. The key is looked
 * up and never written anywhere: neither into the answer nor into the log.
 */
export function addFrameRoutes(
  app: FastifyInstance,
  {
    accounts,
    log,
    webRoot,
    brand,
    limits,
  }: Pick<ApiParts, 'accounts' | 'log' | 'webRoot' | 'brand'> & { limits: RateLimits },
  samples: CodeSamples,
): void {
  const look = readLook(webRoot, brand)
  const send = (reply: FastifyReply, theme: string | undefined, main: Html) =>
    allowOwnFrames(reply)
      .type('text/html; charset=utf-8')
      .header('cache-control', 'no-store')
      .send(framePage(brand, look, theme, main).text)

  app.get<{ Querystring: Record<string, string | string[] | undefined> }>(
    '/frame/code-examples',
    { onRequest: limits.framePerAddress },
    async (request, reply) => {
      const theme = only(request.query.theme)
      try {
        const user = await findUser(accounts, only(request.query.key))
        if (user) return send(reply, theme, frameExamples(samples, user))
        return send(reply.code(401), theme, frameLine(BAD_KEY))
      } catch (error) {
        // Only the name: messages of the database layer hold parameters, and so keys.
        log.error('A key could not be checked for the code examples.', {
          error: nameOf(error),
        })
        return send(reply.code(503), theme, frameLine(KEYS_AWAY))
      }
    },
  )
}

/** Makes as many queries for a wrong key as for a right one, so that timing reveals nothing. */
async function findUser(
  accounts: ApiParts['accounts'],
  key: string | undefined,
): Promise<FrameUser | undefined> {
  const isForm = key !== undefined && isApiKey(key)
  const answer = await accounts.authorizeKey(isForm ? key : randomBytes(16).toString('hex'))
  if (answer.outcome === 'unknown_key') return undefined

  const { user } = await accounts.getAccount(answer.accountId)
  // The key may have been reset between the two queries: it must be this account's now.
  return isForm && user.APIKey === key ? { email: user.Email, joinedAt: user.CreatedAt } : undefined
}

/** The rest of the policy is the same as for every page. */
function allowOwnFrames(reply: FastifyReply): FastifyReply {
  const policy = String(reply.getHeader('content-security-policy') ?? '')
  return reply
    .header('content-security-policy', policy.replace("frame-ancestors 'none'", "frame-ancestors 'self'"))
    .header('x-frame-options', 'SAMEORIGIN')
}

function only(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}
