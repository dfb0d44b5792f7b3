import type { NotedMessage } from '@pairwire/accounts'
import {
  AppError,
  DeadLetters,
  Nothing,
  WEBHOOK_PATHS as PATHS,
  parseCursor,
  planById,
  WEBHOOK_LIMITS,
  Webhook,
  WebhookBody,
  WebhookChange,
  WebhookSeek,
  Webhooks,
  WebhookTest,
  WebhookWithSecret,
} from '@pairwire/contract'
import { assertPlanAllows, quoted, STREAM_SENTENCES, StreamFault } from '@pairwire/filter'
import * as z from 'zod'
import { identify } from '../plugins/faces.ts'
import type { RateLimits } from '../plugins/rate-limit.ts'
import type { ApiApp, RouteParts } from '../routes/api-route.ts'
import { bodyOf } from './collected.ts'
import { readWebhookParams } from './read-params.ts'
import { sampleFrames } from './sample-frames.ts'
import { sendPost } from './send-post.ts'
import { signatureHeaders } from './sign.ts'
import { placeBefore } from './stream-reader.ts'

const OneOf = z.object({ id: z.string() })
const Letter = z.object({ id: z.string(), n: z.coerce.number().int() })

/** Routes under /v1/webhooks: a customer's endpoints, by key or session. */
export function addWebhookRoutes(app: ApiApp, parts: RouteParts): void {
  const onRequest = [identify(parts), parts.limits.perFaceAccount]
  const shown = parts.simulated ? ({ simulated: true } as const) : {}
  const calls = { ...parts, onRequest, shown }
  addEndpointCalls(app, calls)
  addDeliveryCalls(app, calls)
  addLetterCalls(app, calls)
}

/** What all calls share: `shown` is in each answer. */
type Calls = RouteParts & Readonly<{ onRequest: RateLimits['perFaceAccount'][]; shown: { simulated?: true } }>

/** What an endpoint is: list, create, show, change, delete. */
function addEndpointCalls(app: ApiApp, calls: Calls): void {
  const { accounts, stream, onRequest, shown } = calls
  app.route({
    ...at(PATHS.listWebhooks),
    schema: { response: { 200: Webhooks } },
    onRequest,
    async handler({ accountId }) {
      const found = await accounts.authorizeAccount(accountId)
      const limit = found.outcome === 'allowed' ? (planById(found.planId)?.webhooks ?? 0) : 0
      return { webhooks: await accounts.listWebhooks(accountId), limit, ...shown }
    },
  })

  app.route({
    ...at(PATHS.createWebhook),
    schema: { body: WebhookBody, response: { 201: WebhookWithSecret } },
    onRequest,
    async handler({ accountId, body }, reply) {
      await check(calls, accountId, body.kind, { url: body.url, params: body.params ?? {} })
      const place = await stream.newestCursor()
      if (place === undefined) throw new AppError('ERR_UNAVAILABLE', NO_STREAM)
      const created = await accounts.createWebhook(accountId, body, place)
      await changed(calls, accountId)
      return reply.code(201).send({ ...created, ...shown })
    },
  })

  app.route({
    ...at(PATHS.getWebhook),
    schema: { params: OneOf, response: { 200: Webhook } },
    onRequest,
    handler: async ({ accountId, params }) => ({
      ...(await accounts.getWebhook(accountId, params.id)).webhook,
      ...shown,
    }),
  })

  app.route({
    ...at(PATHS.changeWebhook),
    schema: { params: OneOf, body: WebhookChange, response: { 200: Webhook } },
    onRequest,
    async handler({ accountId, params: { id }, body }) {
      const { webhook } = await accounts.getWebhook(accountId, id)
      await check(calls, accountId, webhook.kind, body)
      const after = await accounts.changeWebhook(accountId, id, body)
      await changed(calls, accountId)
      return { ...after, ...shown }
    },
  })

  app.route({
    ...at(PATHS.deleteWebhook),
    schema: { params: OneOf, response: { 200: Nothing } },
    onRequest,
    async handler({ accountId, params }) {
      await accounts.deleteWebhook(accountId, params.id)
      await changed(calls, accountId)
      return {}
    },
  })
}

/** What it gets: a sample, a new secret, another place, a pause. */
function addDeliveryCalls(app: ApiApp, calls: Calls): void {
  const { accounts, stream, limits, posting, onRequest, shown } = calls
  app.route({
    ...at(PATHS.testWebhook),
    schema: { params: OneOf, response: { 200: WebhookTest } },
    onRequest: [...onRequest, limits.samplesPerAccount],
    async handler({ accountId, params: { id } }) {
      await planOf(calls, accountId)
      const { webhook, secrets } = await accounts.getWebhook(accountId, id)
      const [n, now] = [await accounts.nextWebhookNumber(id), calls.clock()]
      const frames = await sampleFrames(stream, webhook)
      const bounds = { type: 'test', at: now, first: null, last: null }
      const { body } = bodyOf(bounds, frames, { id, simulated: calls.simulated })
      const began = calls.elapsed()
      const headers = signatureHeaders(secrets, `${id}_${n}`, now, body)
      const answer = await sendPost(posting, webhook.url, headers, body, WEBHOOK_LIMITS.testMs)
      return { status: answer.status, ms: Math.round(calls.elapsed() - began), body: answer.body, ...shown }
    },
  })

  app.route({
    ...at(PATHS.rotateWebhook),
    schema: { params: OneOf, response: { 200: WebhookWithSecret } },
    onRequest,
    async handler({ accountId, params }) {
      await accounts.checkNotSuspended(accountId)
      const rotated = await accounts.rotateWebhook(accountId, params.id)
      await changed(calls, accountId)
      return { ...rotated, ...shown }
    },
  })

  app.route({
    ...at(PATHS.seekWebhook),
    schema: { params: OneOf, body: WebhookSeek, response: { 200: Webhook } },
    onRequest,
    async handler({ accountId, params, body }) {
      await planOf(calls, accountId)
      await accounts.getWebhook(accountId, params.id)
      const after = await accounts.seekWebhook(accountId, params.id, await placeOf(stream, body.to))
      await changed(calls, accountId)
      return { ...after, ...shown }
    },
  })

  for (const [path, verb] of [
    [PATHS.pauseWebhook, accounts.pauseWebhook],
    [PATHS.resumeWebhook, accounts.resumeWebhook],
  ] as const) {
    app.route({
      ...at(path),
      schema: { params: OneOf, response: { 200: Webhook } },
      onRequest,
      async handler({ accountId, params }) {
        await accounts.checkNotSuspended(accountId)
        const after = await verb(accountId, params.id)
        await changed(calls, accountId)
        return { ...after, ...shown }
      },
    })
  }
}

/** What it refused for good. */
function addLetterCalls(app: ApiApp, calls: Calls): void {
  const { accounts, stream, onRequest, shown } = calls
  app.route({
    ...at(PATHS.listDeadLetters),
    schema: { params: OneOf, response: { 200: DeadLetters } },
    onRequest,
    handler: async ({ accountId, params }) => ({
      deadLetters: await accounts.listDeadLetters(accountId, params.id),
      ...shown,
    }),
  })

  app.route({
    ...at(PATHS.sendDeadLetter),
    schema: { params: Letter, response: { 202: Nothing } },
    onRequest,
    async handler({ accountId, params: { id, n } }, reply) {
      await planOf(calls, accountId)
      await accounts.queueDeadLetter(accountId, id, n, ({ after, gap }: NotedMessage) =>
        gap ? Promise.resolve() : assertHeld(stream, after),
      )
      await changed(calls, accountId)
      return reply.code(202).send({})
    },
  })

  app.route({
    ...at(PATHS.deleteDeadLetter),
    schema: { params: Letter, response: { 200: Nothing } },
    onRequest,
    async handler({ accountId, params: { id, n } }) {
      await accounts.deleteDeadLetter(accountId, id, n)
      return {}
    },
  })
}

const changed = ({ bus }: Calls, accountId: string) => bus.sendControl({ type: 'webhooksChanged', accountId })

/** The plan of an account that may change something. @throws NO_PLAN, ACCOUNT_SUSPENDED */
async function planOf({ accounts }: Calls, accountId: string) {
  const found = await accounts.authorizeAccount(accountId)
  if (found.outcome === 'suspended') await accounts.checkNotSuspended(accountId)
  const plan = found.outcome === 'allowed' ? planById(found.planId) : undefined
  if (!plan) throw new AppError('NO_PLAN')
  return plan
}

/** @throws StreamFault, and AppError, for what could not be delivered */
async function check(
  calls: Calls,
  accountId: string,
  kind: WebhookBody['kind'],
  { url, params }: WebhookChange,
): Promise<void> {
  if (!calls.hasPlaces) {
    const why = 'the source of this service gives events in order of arrival, without cursors'
    throw new StreamFault('NOT_AVAILABLE', `Webhooks are not available here: ${why}.`)
  }
  if (NOT_KEPT.test(JSON.stringify([url, params]))) throw new AppError('ERR_VALIDATION', CHARACTERS)
  if (url !== undefined && !calls.posting.accepts(url)) throw new AppError('ERR_VALIDATION', ADDRESS)
  const plan = await planOf(calls, accountId)
  if (params) assertPlanAllows(readWebhookParams(kind, params), plan)
}

/** What PostgreSQL keeps in no text: NUL, and half of a surrogate pair. */
const NOT_KEPT = /\\u(0000|d[89a-f])/
const CHARACTERS = 'url and params must have no NUL and no half of a surrogate pair.'
const ADDRESS =
  'url must be a public https address on port 443 or from 1024, without user and password, and not of this service.'
const NO_STREAM = 'The stream has not begun yet. Try again in a moment.'

const at = <Method extends string>({ method, path }: Readonly<{ method: Method; path: string }>) => ({
  method,
  url: path,
})

type StreamPlaces = Pick<RouteParts['stream'], 'holds' | 'newestCursor' | 'oldestCursor'>

/** The cursor after which an endpoint goes on. @throws StreamFault for one that is not held, with the oldest that is */
async function placeOf(stream: StreamPlaces, to: string): Promise<string> {
  const [oldest, newest] = [await stream.oldestCursor(), await stream.newestCursor()]
  if (newest === undefined) throw new AppError('ERR_UNAVAILABLE', NO_STREAM)
  if (to === 'now') return newest
  if (to === 'oldest') return oldest === undefined ? newest : placeBefore(stream, oldest)
  if (!parseCursor(to)) {
    const sentence = `to is not a cursor: ${quoted(to)}. Send one exactly as you received it with an event, "oldest" or "now".`
    throw new StreamFault('INVALID_CURSOR', sentence)
  }
  if (to > newest) throw new StreamFault('CURSOR_AHEAD', AHEAD, { oldest: oldest ?? null })
  await assertHeld(stream, to)
  return to
}

const AHEAD = 'The stream has not reached this cursor. Send one of this deployment, "oldest" or "now".'

async function assertHeld(
  stream: Pick<StreamPlaces, 'holds' | 'oldestCursor'>,
  after: string,
): Promise<void> {
  if (await stream.holds(after)) return
  const oldest = (await stream.oldestCursor()) ?? null
  throw new StreamFault('CURSOR_TOO_OLD', STREAM_SENTENCES.CURSOR_TOO_OLD(oldest), { oldest })
}
