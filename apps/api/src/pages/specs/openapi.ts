import {
  Account,
  ERROR_TYPES,
  ErrorBody,
  type ErrorType,
  PublicConfig,
  SystemStatus,
  Webhook,
} from '@pairwire/contract'
import type { Brand } from '@pairwire/process/brand'
import * as z from 'zod'
import { listedRoutes } from './route-summaries.ts'
import { BY_ANY_KEY, FACE_REFUSAL, KEY_SCHEMES, streamPaths } from './stream-paths.ts'
import { webhookMessage } from './webhook-message.ts'

type Schema = Readonly<Record<string, unknown>>

/** Schemas that several calls share, or that deserve a name. */
const NAMED: ReadonlyMap<z.core.$ZodType, string> = new Map<z.core.$ZodType, string>([
  [Account, 'Account'],
  [ErrorBody, 'Error'],
  [PublicConfig, 'PublicConfig'],
  [SystemStatus, 'SystemStatus'],
  [Webhook, 'Webhook'],
])

/** Refusals that any call may return, and those of single calls. */
const ANY: readonly ErrorType[] = [
  'ERR_VALIDATION',
  'ERR_TIMEOUT',
  'ERR_TOO_LARGE',
  'ERR_RATE_LIMITED',
  'ERR_UNKNOWN',
  'ERR_UNAVAILABLE',
]
const OWN: Readonly<Partial<Record<ListedRoute['name'], readonly ErrorType[]>>> = {
  createWebhook: ['WEBHOOK_LIMIT'],
  authenticate: ['ERR_LOGIN_REQUIRED'],
  login: ['ERR_LOGIN_REQUIRED'],
  register: ['BLOCKED_EMAIL_DOMAIN', 'CAPTCHA_FAILED', 'REGISTRATION_CLOSED', 'ERR_CONFLICT'],
  captcha: ['ERR_NOT_FOUND'],
  deleteAccount: ['ACTIVE_SUBSCRIPTION'],
  closeConnection: ['ERR_NOT_FOUND'],
  createOrder: ['HISTORY_UNAVAILABLE', 'ACCOUNT_SUSPENDED'],
  getOrder: ['ERR_NOT_FOUND'],
  tryFilter: ['HISTORY_UNAVAILABLE', 'ACCOUNT_SUSPENDED'],
  startTrial: ['TRIAL_USED', 'SUBSCRIPTION_EXISTS', 'ACCOUNT_SUSPENDED'],
  manageSubscription: ['ERR_FORBIDDEN', 'ERR_NOT_FOUND'],
  checkout: ['ERR_NOT_FOUND', 'SUBSCRIPTION_EXISTS', 'ACCOUNT_SUSPENDED'],
}

/** Of every call that a key may make. */
const BY_KEY: readonly ErrorType[] = ['KEY_UNKNOWN', 'NO_PLAN', 'ACCOUNT_SUSPENDED', 'ERR_NOT_FOUND']

/** The HTTP API as an OpenAPI 3.1 document, generated from the schemas that the service validates with. */
export function openApi({ publicUrl, brand }: { publicUrl: string; brand: Brand }): Schema {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of listedRoutes()) {
    const call = operation(route)
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: call }
  }

  return {
    openapi: '3.1.0',
    info: {
      title: brand.name,
      version: '1.0.0',
      description: `The calls behind the dashboard of ${brand.name}. The stream itself is in asyncapi.json.`,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl }],
    paths: { ...paths, ...streamPaths(refusal([], 'FaceError')) },
    webhooks: { message: { post: webhookMessage } },
    components: {
      schemas: {
        ...Object.fromEntries([...NAMED].map(([schema, name]) => [name, jsonSchema(schema, 'output')])),
        FaceError: FACE_REFUSAL,
      },
      securitySchemes: { session: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' }, ...KEY_SCHEMES },
    },
  }
}

type ListedRoute = ReturnType<typeof listedRoutes>[number]

function operation(
  route: Omit<ListedRoute, 'body' | 'query'> & Readonly<{ body?: z.core.$ZodType; query?: z.core.$ZodType }>,
): Schema {
  const session: readonly ErrorType[] = route.session ? ['ERR_LOGIN_REQUIRED'] : []
  const types = [...ANY, ...session, ...(route.byKey ? BY_KEY : []), ...(OWN[route.name] ?? [])]
  const statuses = new Set(types.map((type) => ERROR_TYPES[type].status))
  const form = route.byKey ? 'FaceError' : 'Error'
  const refusals = [...statuses].map((status) => {
    const those = types.filter((type) => ERROR_TYPES[type].status === status)
    return [status, refusal(those, form)]
  })
  return {
    operationId: route.name,
    summary: route.summary,
    security: [...(route.byKey ? BY_ANY_KEY : []), ...(route.session ? [{ session: [] }] : [])],
    ...(route.query && { parameters: parametersOf(route.query) }),
    ...(route.path.includes(':') && { parameters: pathParameters(route.path, route.byKey) }),
    ...(route.body && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: jsonSchema(route.body, 'input') } },
      },
    }),
    responses: {
      [route.status]: {
        description: 'Done.',
        content: { 'application/json': { schema: reference(route.answer) } },
      },
      ...Object.fromEntries(refusals),
      default: refusal([], form),
    },
  }
}

/** The names in a path: numbers, but for an endpoint's. */
function pathParameters(path: string, isOfEndpoint: boolean): readonly Schema[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => {
    const type = isOfEndpoint && name === 'id' ? 'string' : 'integer'
    return { name, in: 'path', required: true, schema: { type } }
  })
}

/** The members of a query. */
function parametersOf(query: z.core.$ZodType): readonly Schema[] {
  // A query is an object of texts.
  const { properties, required = [] } = jsonSchema(query, 'input') as {
    properties: Readonly<Record<string, Schema>>
    required?: readonly string[]
  }
  return Object.entries(properties).map(([name, schema]) => {
    return { name, in: 'query', required: required.includes(name), schema }
  })
}

function refusal(types: readonly ErrorType[], form: 'Error' | 'FaceError'): Schema {
  return {
    description:
      types.map((type) => `${type}: ${ERROR_TYPES[type].message}`).join(' ') || 'Any other refusal.',
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${form}` } } },
  }
}

function reference(schema: z.core.$ZodType): Schema {
  const name = NAMED.get(schema)
  return name ? { $ref: `#/components/schemas/${name}` } : jsonSchema(schema, 'output')
}

/** A schema of the contract as JSON Schema; `io` says whether callers send or receive it. */
export function jsonSchema(schema: z.core.$ZodType, io: 'input' | 'output'): Schema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io,
    // Answers and frames may gain members.
    override: ({ jsonSchema: each }) => {
      if (io === 'output' && each.additionalProperties === false) delete each.additionalProperties
    },
  })
  return rest
}
