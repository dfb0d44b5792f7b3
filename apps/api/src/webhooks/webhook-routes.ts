import {
  AppError,
  parseCursor,
  planById,
  WEBHOOK_LIMITS,
  type WebhookBody,
  type WebhookChange,
  webhookRoutes,
} from '@pairwire/contract'
import { assertPlanAllows, quoted, StreamFault } from '@pairwire/filter'
import * as z from 'zod'
import { identify } from '../plugins/faces.ts'
import type { ApiApp, RouteParts } from '../routes/api-route.ts'
import { bodyOf } from './collected.ts'
import { readWebhookParams } from './read-params.ts'
import { sampleFrames } from './sample-frames.ts'
import { sendPost } from './send-post.ts'
import { signatureHeaders } from './sign.ts'
import { placeBefore } from './stream-reader.ts'

/** Routes under /v1/webhooks: a customer's endpoints, by key or session. */
export function addWebhookRoutes(app: ApiApp, parts: RouteParts): void {
  const { bus, limits, simulated } = parts
  const changes = changesOf(parts)
  const verbs = { ...readsOf(parts), ...changes }
  const onRequest = [identify(parts), limits.perFaceAccount]
  for (const name of Object.keys(webhookRoutes) as Name[]) {
    const { method, path, answer, body, status = 200 }: Call = webhookRoutes[name]
    // Each takes the body that its route has parsed.
    const verb = verbs[name] as (asked: Asked<unknown>) => Promise<object>
    app.route({
      ...{ method, url: path },
      schema: { params: Params, ...(body && { body }), response: { [status]: answer } },
      onRequest: name === 'testWebhook' ? [...onRequest, limits.samplesPerAccount] : onRequest,
      async handler({ accountId, params, body }, reply) {
        const given = await verb({ accountId, ...params, body })
        if (name in changes) await bus.sendControl({ type: 'webhooksChanged', accountId })
        return reply.code(status).send({ ...given, ...(simulated && { simulated }) })
      },
    })
  }
}

/** The numbers in a path, where it has them. */
const Params = z.object({ id: z.string().default(''), n: z.coerce.number().int().default(0) })

type Name = keyof typeof webhookRoutes
type Schema = z.core.$ZodType
type Call = Readonly<{
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  path: string
  status?: number
  answer: Schema
  body?: Schema
}>
type Asked<Body> = Readonly<{ accountId: string; id: string; n: number; body: Body }>
type Verbs<Names extends Name> = {
  [N in Names]: (
    asked: Asked<(typeof webhookRoutes)[N] extends { body: infer Body } ? z.infer<Body> : unknown>,
  ) => Promise<z.infer<(typeof webhookRoutes)[N]['answer']>>
}

/** What leaves the endpoints as they are. */
function readsOf(
  parts: RouteParts,
): Verbs<'listWebhooks' | 'getWebhook' | 'testWebhook' | 'listDeadLetters'> {
  const { accounts, stream, posting, simulated, clock, elapsed } = parts
  return {
    async listWebhooks({ accountId }) {
      const found = await accounts.authorizeAccount(accountId)
      const limit = found.outcome === 'allowed' ? (planById(found.planId)?.webhooks ?? 0) : 0
      return { webhooks: await accounts.listWebhooks(accountId), limit }
    },
    getWebhook: async ({ accountId, id }) => (await accounts.getWebhook(accountId, id)).webhook,
    async testWebhook({ accountId, id }) {
      await planOf(parts, accountId)
      const { webhook, secrets } = await accounts.getWebhook(accountId, id)
      const [n, now] = [await accounts.nextWebhookNumber(id), clock()]
      const frames = await sampleFrames(stream, webhook).catch(noStream)
      const { body } = bodyOf({ type: 'test', at: now, first: null, last: null }, frames, { id, simulated })
      const began = elapsed()
      const headers = signatureHeaders(secrets, `${id}_${n}`, now, body)
      const answer = await sendPost(posting, webhook.url, headers, body, WEBHOOK_LIMITS.testMs)
      return { status: answer.status, ms: Math.round(elapsed() - began), body: answer.body }
    },
    listDeadLetters: async ({ accountId, id }) => ({
      deadLetters: await accounts.listDeadLetters(accountId, id),
    }),
  }
}

/** What every loop is told of. */
function changesOf(parts: RouteParts): Verbs<Exclude<Name, keyof ReturnType<typeof readsOf>>> {
  const { accounts, stream } = parts
  const unlessSuspended =
    <Answer>(change: (accountId: string, id: string) => Promise<Answer>) =>
    async ({ accountId, id }: Asked<unknown>) => {
      await accounts.checkNotSuspended(accountId)
      return change(accountId, id)
    }
  return {
    async createWebhook({ accountId, body }) {
      await check(parts, accountId, body.kind, { url: body.url, params: body.params ?? {} })
      return accounts.createWebhook(accountId, body, await placeOf(stream, 'now'))
    },
    async changeWebhook({ accountId, id, body }) {
      const { webhook } = await accounts.getWebhook(accountId, id)
      await check(parts, accountId, webhook.kind, body)
      return accounts.changeWebhook(accountId, id, body)
    },
    deleteWebhook: ({ accountId, id }) => accounts.deleteWebhook(accountId, id).then(() => ({})),
    rotateWebhook: unlessSuspended(accounts.rotateWebhook),
    async seekWebhook({ accountId, id, body }) {
      await planOf(parts, accountId)
      await accounts.getWebhook(accountId, id)
      return accounts.seekWebhook(accountId, id, await placeOf(stream, body.to))
    },
    pauseWebhook: unlessSuspended(accounts.pauseWebhook),
    resumeWebhook: unlessSuspended(accounts.resumeWebhook),
    async sendDeadLetter({ accountId, id, n }) {
      await planOf(parts, accountId)
      await accounts.queueDeadLetter(accountId, id, n, async ({ after, gap }) => {
        if (!gap) await assertHeld(stream, after)
      })
      return {}
    },
    async deleteDeadLetter({ accountId, id, n }) {
      await accounts.deleteDeadLetter(accountId, id, n)
      return {}
    },
  }
}

/** The plan of an account that may change something. @throws NO_PLAN, ACCOUNT_SUSPENDED */
async function planOf({ accounts }: RouteParts, accountId: string) {
  const found = await accounts.authorizeAccount(accountId)
  if (found.outcome === 'suspended') await accounts.checkNotSuspended(accountId)
  const plan = found.outcome === 'allowed' ? planById(found.planId) : undefined
  if (!plan) throw new AppError('NO_PLAN')
  return plan
}

/** @throws StreamFault, and AppError, for what could not be delivered */
async function check(
  parts: RouteParts,
  accountId: string,
  kind: WebhookBody['kind'],
  { url, params }: WebhookChange,
): Promise<void> {
  if (!parts.hasPlaces) {
    const why = 'the source of this service gives events in order of arrival, without cursors'
    throw new StreamFault('NOT_AVAILABLE', `Webhooks are not available here: ${why}.`)
  }
  if (NOT_KEPT.test(JSON.stringify([url, params]))) throw new AppError('ERR_VALIDATION', CHARACTERS)
  if (url !== undefined && !parts.posting.accepts(url)) throw new AppError('ERR_VALIDATION', ADDRESS)
  const plan = await planOf(parts, accountId)
  if (params) assertPlanAllows(readWebhookParams(kind, params), plan)
}

/** What PostgreSQL keeps in no text, in JSON: NUL, and half of a surrogate pair; not a backslash before such letters. */
export const NOT_KEPT = /(?<!\\)(?:\\\\)*\\u(0000|d[89a-f])/
const CHARACTERS = 'url and params must have no NUL and no half of a surrogate pair.'
const ADDRESS =
  'url must be a public https address on port 443 or from 1024, without user and password, and not of this service.'
const NO_STREAM = 'The stream has not begun yet, or cannot be read now. Try again in a moment.'
const noStream = () => Promise.reject(new AppError('ERR_UNAVAILABLE', NO_STREAM))

type StreamPlaces = Pick<RouteParts['stream'], 'holds' | 'newestCursor' | 'oldestCursor'>

/** The cursor after which an endpoint goes on. @throws StreamFault for one that is not held, with the oldest that is */
async function placeOf(stream: StreamPlaces, to: string): Promise<string> {
  const [oldest, newest] = await Promise.all([stream.oldestCursor(), stream.newestCursor()]).catch(noStream)
  if (newest === undefined) return noStream()
  if (to === 'now') return newest
  if (to === 'oldest') return oldest === undefined ? newest : placeBefore(stream, oldest).catch(noStream)
  if (!parseCursor(to)) {
    const sentence = `to is not a cursor: ${quoted(to)}. Send one exactly as you received it with an event, "oldest" or "now".`
    throw new StreamFault('INVALID_CURSOR', sentence)
  }
  if (to > newest) throw new StreamFault('CURSOR_AHEAD', AHEAD, { oldest: oldest ?? null })
  await assertHeld(stream, to)
  return to
}

const AHEAD = 'The stream has not reached this cursor. Send one of this deployment, "oldest" or "now".'
const GONE = 'These events are no longer kept. An endpoint can continue from "oldest" or "now".'

async function assertHeld(stream: StreamPlaces, after: string): Promise<void> {
  if (await stream.holds(after).catch(noStream)) return
  throw new StreamFault('CURSOR_TOO_OLD', GONE, { oldest: (await stream.oldestCursor()) ?? null })
}
