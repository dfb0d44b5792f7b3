import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import type { ApiParts } from '../parts.ts'
import type { RateLimits } from '../plugins/rate-limit.ts'
import type { Sessions } from '../plugins/session.ts'

/** The app as routes see it: bodies are parsed and answers checked by the contract's schemas. */
export type ApiApp = FastifyInstance<
  import('fastify').RawServerDefault,
  import('node:http').IncomingMessage,
  import('node:http').ServerResponse,
  import('fastify').FastifyBaseLogger,
  ZodTypeProvider
>

/** Dependencies of the routes of the API. */
export type RouteParts = ApiParts & Readonly<{ sessions: Sessions; limits: RateLimits }>

/** Body of answers that only confirm. */
export const DONE = { ok: true } as const
