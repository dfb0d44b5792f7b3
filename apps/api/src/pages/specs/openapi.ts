import {
  Account,
  ERROR_TYPES,
  ErrorBody,
  type ErrorType,
  PublicConfig,
  type routes,
  SystemStatus,
} from '@pairwire/contract'
import type { Brand } from '@pairwire/process/brand'
import * as z from 'zod'
import { listedRoutes } from './route-summaries.ts'

type Schema = Readonly<Record<string, unknown>>

/** Schemas that several calls share, or that deserve a name. */
const NAMED: ReadonlyMap<z.core.$ZodType, string> = new Map<z.core.$ZodType, string>([
  [Account, 'Account'],
  [ErrorBody, 'Error'],
  [PublicConfig, 'PublicConfig'],
  [SystemStatus, 'SystemStatus'],
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
const OWN: Readonly<Partial<Record<keyof typeof routes, readonly ErrorType[]>>> = {
  authenticate: ['ERR_LOGIN_REQUIRED'],
  login: ['ERR_LOGIN_REQUIRED'],
  register: ['BLOCKED_EMAIL_DOMAIN', 'CAPTCHA_FAILED', 'REGISTRATION_CLOSED', 'ERR_CONFLICT'],
  captcha: ['ERR_NOT_FOUND'],
  deleteAccount: ['ACTIVE_SUBSCRIPTION'],
  closeConnection: ['ERR_NOT_FOUND'],
  createOrder: ['HISTORY_UNAVAILABLE', 'ACCOUNT_SUSPENDED'],
  getOrder: ['ERR_NOT_FOUND'],
  tryFilter: ['HISTORY_UNAVAILABLE', 'ACCOUNT_SUSPENDED'],
  keyPlan: ['KEY_UNKNOWN'],
  startTrial: ['TRIAL_USED', 'SUBSCRIPTION_EXISTS', 'ACCOUNT_SUSPENDED'],
  manageSubscription: ['ERR_FORBIDDEN', 'ERR_NOT_FOUND'],
  checkout: ['ERR_NOT_FOUND', 'SUBSCRIPTION_EXISTS', 'ACCOUNT_SUSPENDED'],
}

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
    paths,
    components: {
      schemas: Object.fromEntries([...NAMED].map(([schema, name]) => [name, jsonSchema(schema, 'output')])),
      securitySchemes: { session: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
    },
  }
}

function operation(
  route: Readonly<{
    name: keyof typeof routes
    summary: string
    path: string
    session: boolean
    answer: z.core.$ZodType
    body?: z.core.$ZodType
    query?: z.core.$ZodType
  }>,
): Schema {
  const session: readonly ErrorType[] = route.session ? ['ERR_LOGIN_REQUIRED'] : []
  const types = [...ANY, ...session, ...(OWN[route.name] ?? [])]
  const statuses = new Set(types.map((type) => ERROR_TYPES[type].status))
  const refusals = [...statuses].map((status) => [
    status,
    refusal(types.filter((type) => ERROR_TYPES[type].status === status)),
  ])
  return {
    operationId: route.name,
    summary: route.summary,
    ...(route.session ? { security: [{ session: [] }] } : { security: [] }),
    ...(route.query && { parameters: parametersOf(route.query) }),
    ...(route.path.includes(':id') && { parameters: [ID] }),
    ...(route.body && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: jsonSchema(route.body, 'input') } },
      },
    }),
    responses: {
      200: {
        description: 'Done.',
        content: { 'application/json': { schema: reference(route.answer) } },
      },
      ...Object.fromEntries(refusals),
      default: refusal([]),
    },
  }
}

/** The number in a path. */
const ID: Schema = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } }

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

function refusal(types: readonly ErrorType[]): Schema {
  return {
    description:
      types.map((type) => `${type}: ${ERROR_TYPES[type].message}`).join(' ') || 'Any other refusal.',
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  }
}

function reference(schema: z.core.$ZodType): Schema {
  const name = NAMED.get(schema)
  return name ? { $ref: `#/components/schemas/${name}` } : jsonSchema(schema, 'output')
}

/** A schema of the contract as JSON Schema; `io` says whether callers send or receive it. */
export function jsonSchema(schema: z.core.$ZodType, io: 'input' | 'output'): Schema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io })
  return rest
}
