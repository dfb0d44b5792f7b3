import { Account, ERROR_TYPES, ErrorBody, PublicConfig, routes, SystemStatus } from '@pairwire/contract'
import { z } from 'zod'
import { ROUTE_SUMMARIES } from './route-summaries.ts'

type Schema = Readonly<Record<string, unknown>>

/** Schemas that several calls share, or that are worth a name. */
const NAMED: ReadonlyMap<z.core.$ZodType, string> = new Map<z.core.$ZodType, string>([
  [Account, 'Account'],
  [ErrorBody, 'Error'],
  [PublicConfig, 'PublicConfig'],
  [SystemStatus, 'SystemStatus'],
])

/** The HTTP API as an OpenAPI 3.1 document, made from the schemas that the service checks with. */
export function openApi({ publicUrl }: { publicUrl: string }): Schema {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const [name, route] of Object.entries(routes)) {
    // The names are the routes' own, by their type.
    const call = operation(name as keyof typeof routes, route)
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: call }
  }

  return {
    openapi: '3.1.0',
    info: {
      title: 'Pairwire',
      version: '1.0.0',
      description: 'The calls behind the dashboard of Pairwire. The stream itself is in asyncapi.json.',
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
  name: keyof typeof routes,
  route: Readonly<{
    path: string
    session: boolean
    answer: z.core.$ZodType
    body?: z.core.$ZodType
    query?: z.core.$ZodType
  }>,
): Schema {
  const refusals = [
    400,
    ...(route.session || route.path.includes('auth') || route.path.includes('login') ? [401] : []),
    429,
    500,
    503,
  ]
  return {
    operationId: name,
    summary: ROUTE_SUMMARIES[name],
    ...(route.session ? { security: [{ session: [] }] } : { security: [] }),
    ...(route.query && { parameters: parametersOf(route.query) }),
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
      ...Object.fromEntries(refusals.map((status) => [status, refusal(status)])),
      default: refusal(undefined),
    },
  }
}

/** The members of a query, which are all required. */
function parametersOf(query: z.core.$ZodType): readonly Schema[] {
  // A query is an object of texts.
  const { properties } = jsonSchema(query, 'input') as { properties: Readonly<Record<string, Schema>> }
  return Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', required: true, schema }))
}

function refusal(status: number | undefined): Schema {
  const types = Object.entries(ERROR_TYPES).filter(([, type]) => type.status === status)
  return {
    description: types.map(([name, { message }]) => `${name}: ${message}`).join(' ') || 'Any other refusal.',
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  }
}

function reference(schema: z.core.$ZodType): Schema {
  const name = NAMED.get(schema)
  return name ? { $ref: `#/components/schemas/${name}` } : jsonSchema(schema, 'output')
}

/** A schema of the contract as JSON Schema; `io` says whether it is what callers send or what they get. */
export function jsonSchema(schema: z.core.$ZodType, io: 'input' | 'output'): Schema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io })
  return rest
}
