import { fileURLToPath } from 'node:url'
import {
  LATER_PATHS,
  NOTIFICATION_METHODS,
  PATHS,
  REQUEST_METHODS,
  routes,
  StreamFrame,
  WEBHOOK_PATHS,
} from '@pairwire/contract'
import { PAIRWIRE } from '@pairwire/process/brand'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { bodyOf, gapFrame } from '../../webhooks/collected.ts'
import { drawDocs } from '../docs/draw-docs.ts'
import { LATEST_BLOCK_FRAME, NEW_PAIR_FRAME, SWAP_FRAME } from '../docs/example-frames.ts'
import { asyncApi } from './asyncapi.ts'
import { openApi } from './openapi.ts'

type Json = Record<string, unknown>

const settings = { publicUrl: 'http://localhost:8080', streamUrl: 'ws://localhost:8080/', brand: PAIRWIRE }
const pagesRoot = fileURLToPath(new URL('../../../public', import.meta.url))
const docsRoot = fileURLToPath(new URL('../../../../../docs/site', import.meta.url))
const docs = drawDocs({ ...settings, supportEmail: 'a@b.c', docsRoot, pagesRoot }).pages
const open = JSON.parse(JSON.stringify(openApi(settings))) as Json
const async = JSON.parse(JSON.stringify(asyncApi(settings))) as Json

/** The target of a local reference. */
function follow(document: Json, reference: string): unknown {
  expect(reference).toMatch(/^#\//)
  return reference
    .slice(2)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((value, name) => (value as Json | undefined)?.[name], document)
}

/** Every value of a member, at any depth. */
function membersNamed(name: string, value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, member]) => [
    ...(key === name ? [member] : []),
    ...membersNamed(name, member),
  ])
}

describe.each([
  ['openapi.json', open],
  ['asyncapi.json', async],
])('%s', (_name, document) => {
  it('refers only to what it contains', () => {
    const references = membersNamed('$ref', document) as string[]

    for (const reference of references) expect(follow(document, reference), reference).toBeDefined()
    expect(references.length).toBeGreaterThan(10)
  })

  it('contains schemas that are valid JSON Schema', () => {
    const schemas = [...membersNamed('schema', document), ...membersNamed('payload', document)].filter(
      (schema) => typeof schema === 'object' && schema !== null && ('type' in schema || 'anyOf' in schema),
    )

    for (const schema of schemas) expect(() => z.fromJSONSchema(schema as never)).not.toThrow()
    expect(schemas.length).toBeGreaterThan(5)
  })
})

describe('openapi.json', () => {
  it('closes the bodies that calls take, and no answer, since answers may gain members', () => {
    const closed = membersNamed('additionalProperties', [open, async]).filter((closes) => closes === false)
    const bodies = membersNamed('requestBody', open.paths)

    expect(closed).toEqual(membersNamed('additionalProperties', bodies).filter((closes) => closes === false))
    expect(closed.length).toBeGreaterThan(0)
  })

  it('describes every call of the contract, with its body, its answers and its session', () => {
    const paths = open.paths as Record<string, Record<string, Json>>

    for (const [name, route] of Object.entries(routes)) {
      const call = paths[asTemplate(route.path)]?.[route.method.toLowerCase()]
      expect(call, name).toMatchObject({ operationId: name, summary: expect.stringMatching(/\.$/) })
      expect(Object.keys(call!.responses as Json)).toEqual(expect.arrayContaining(['200', '429', 'default']))
      expect(JSON.stringify(call!.security).includes('session'), name).toBe(route.session)
      expect(call!.requestBody !== undefined, name).toBe('body' in route)
    }
    const calls = Object.values(paths).flatMap((path) => Object.values(path))
    const streams = 6 // each by GET and by POST
    expect(calls).toHaveLength(Object.keys({ ...routes, ...WEBHOOK_PATHS }).length + streams)
    expect(open.openapi).toBe('3.1.0')
  })

  it('says of every call below /v1, and of no other, how it takes a key', () => {
    for (const [path, calls] of Object.entries(open.paths as Record<string, Record<string, Json>>)) {
      const { security } = Object.values(calls)[0]!
      const ways = path.startsWith('/v1/') ? [{ key: [] }, { keyAsBearer: [] }, { keyInQuery: [] }] : []
      expect(
        (security as Json[]).filter((way) => !('session' in way)),
        path,
      ).toEqual(ways)
    }
  })

  it('allows a refusal below /v1 as it is sent, with its page and the oldest cursor', () => {
    const sent = { errorType: 'CURSOR_TOO_OLD', errorMessage: '…', docs: 'http://…', oldest: null }

    for (const [path, calls] of Object.entries(open.paths as Record<string, Record<string, Json>>)) {
      if (!path.startsWith('/v1/')) continue
      for (const { responses } of Object.values(calls)) {
        const [reference] = membersNamed('$ref', (responses as Json).default) as [string]
        const schema = z.fromJSONSchema(follow(open, reference) as never)
        expect(schema.safeParse(sent).error, path).toBeUndefined()
      }
    }
  })

  it('names no path that is not in the contract', () => {
    const known = Object.values({ ...PATHS, ...LATER_PATHS, ...WEBHOOK_PATHS }).map(({ path }) =>
      asTemplate(path),
    )

    expect(Object.keys(open.paths as Json).filter((path) => !(known as string[]).includes(path))).toEqual(
      ['swaps', 'pairs', 'blocks'].map((name) => `/v1/stream/${name}`),
    )
  })
})

describe('the message of a webhook in openapi.json', () => {
  const { post } = (open.webhooks as { message: { post: { requestBody: Json } } }).message
  const [schema] = membersNamed('schema', post.requestBody)
  const gap = { fromSlot: 1, toSlot: 2, cause: 'too_old', resume_from: null } as const

  it.each([
    ['swap', '454790130-1-1', [JSON.stringify(SWAP_FRAME)]],
    ['test', null, [JSON.stringify(NEW_PAIR_FRAME)]],
    ['gap', '454790130-1-1', [gapFrame(gap)]],
  ])('allows what is sent as %s', (type, cursor, frames) => {
    const message = { type, at: Date.now(), first: cursor, last: cursor }
    const { body } = bodyOf(message, frames, { id: 'wh_1', simulated: true })

    expect(z.fromJSONSchema(schema as never).safeParse(JSON.parse(body)).error).toBeUndefined()
  })

  it('refuses one without events', () => {
    const body = { type: 'swap', timestamp: new Date(0).toISOString(), data: { endpoint: 'wh_1' } }

    expect(z.fromJSONSchema(schema as never).safeParse(body).success).toBe(false)
  })
})

describe('asyncapi.json', () => {
  const messages = (async.components as { messages: Record<string, Json> }).messages

  it('describes requests and every frame, each with an example that matches its schema', () => {
    for (const [name, message] of Object.entries(messages)) {
      const [{ payload }] = message.examples as [{ payload: unknown }]

      const { error } = z.fromJSONSchema(message.payload as never).safeParse(payload)

      expect(error?.message, name).toBeUndefined()
      if (name !== 'request') expect(StreamFrame.safeParse(payload).success, name).toBe(true)
    }
    expect(Object.keys(messages)).toEqual(expect.arrayContaining(Object.values(NOTIFICATION_METHODS)))
    expect(async.asyncapi).toBe('3.0.0')
  })

  it('has the last message of streams over HTTP in their channel alone', () => {
    const { stream, overHttp } = async.channels as Record<string, { messages: Json }>

    expect(Object.keys(overHttp!.messages)).toEqual(['connectionClosed'])
    expect(Object.keys(stream!.messages)).not.toContain('connectionClosed')
    expect(messages.connectionClosed!.payload).toMatchObject({ required: ['method', 'code', 'reason'] })
  })

  it('allows the gap before a place that is too old, which other faces refer to', () => {
    const schema = z.fromJSONSchema(messages.gapNotification!.payload as never)
    const params = { subscription_id: 1, fromSlot: 1, toSlot: 2, cause: 'too_old', resume_from: null }

    expect(schema.safeParse({ method: 'gapNotification', params }).error).toBeUndefined()
  })

  it('allows the answer to a request without an id', () => {
    const schema = z.fromJSONSchema(messages.result!.payload as never)

    expect(schema.safeParse({ jsonrpc: '2.0', result: true }).error).toBeUndefined()
  })

  it('names every method of a request', () => {
    const { properties } = messages.request!.payload as { properties: { method: { enum: string[] } } }

    expect(properties.method.enum).toEqual([...REQUEST_METHODS])
  })
})

describe('the fields in the docs', () => {
  it.each([
    ['newPairNotification', NEW_PAIR_FRAME, '/docs/new-pairs'],
    ['swapNotification', SWAP_FRAME, '/docs/swaps'],
    ['latestBlockNotification', LATEST_BLOCK_FRAME, '/docs/latest-block'],
  ])('of %s are exactly its fields', (_method, frame, path) => {
    const fields = docs.find((page) => page.path === path)?.sections.find(({ id }) => id === 'fields')
    const described = [...fields!.text.text.matchAll(/<li data-field="([^"]+)"/g)].map(([, name]) => name!)

    const isDescribed = (path: string) =>
      described.some((name) => name === path || path.startsWith(`${name}.`) || name.startsWith(`${path}.`))
    expect(pathsOf(frame).filter((path) => !isDescribed(path))).toEqual([])
    expect(described.filter((path) => !pathsOf(frame).includes(path))).toEqual([])
  })
})

function pathsOf(value: unknown, above = ''): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => {
    const path = above === '' ? name : `${above}.${name}`
    return [path, ...pathsOf(member, path)]
  })
}

/** A path in OpenAPI's form. */
const asTemplate = (path: string) => path.replaceAll(/:(\w+)/g, '{$1}')
