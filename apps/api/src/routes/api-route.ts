import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import type * as z from 'zod'
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

type Schema = z.core.$ZodType
type Call = Readonly<{ method: string; path: string; body?: Schema; query?: Schema; answer: Schema }>

/** A call of the contract as the app takes it: where it is, what it takes and what it answers. */
export function asRoute<Of extends Call>({ method, path: url, body, query: querystring, answer }: Of) {
  const schema = { ...(body && { body }), ...(querystring && { querystring }), response: { 200: answer } }
  return { method, url, schema } as Pick<Of, 'method'> & { url: string; schema: SchemasOf<Of> }
}

type SchemasOf<Of extends Call> = { response: { 200: Of['answer'] } } & (Of extends { body: infer Body }
  ? { body: Body }
  : unknown) &
  (Of extends { query: infer Query } ? { querystring: Query } : unknown)

/** Body of answers that only confirm. */
export const DONE = { ok: true } as const
