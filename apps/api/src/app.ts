import { readObject } from '@pairwire/basics'
import { AppError, SUPPORT_EMAIL } from '@pairwire/contract'
import { askParts } from '@pairwire/process'
import Fastify, { type FastifyInstance } from 'fastify'
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod'
import { BODY_MAX_BYTES, REQUEST_TIMEOUT_MS } from './limits.ts'
import { addDeploymentProof } from './operator/doctor/deployment-proof.ts'
import {
  addRoomHeaders,
  createRefusalLog,
  createSameOriginCheck,
} from './operator/session/operator-session.ts'
import { roomOf } from './operator/session/room.ts'
import { createRoomDoor } from './operator/session/room-door.ts'
import { addRoomPages } from './operator/session/room-pages.ts'
import { addSessionRoutes } from './operator/session/session-routes.ts'
import { createSignInMetrics } from './operator/session/sign-in-metrics.ts'
import { addVerbRoutes } from './operator/session/verb-routes.ts'
import { createCodeSamples } from './pages/code-samples.ts'
import { createPages, noDownload } from './pages/page.ts'
import type { ApiParts } from './parts.ts'
import { createErrorHandler } from './plugins/errors.ts'
import { asFace } from './plugins/faces.ts'
import { createLocalOnly } from './plugins/local-only.ts'
import { refuseDuringMaintenance } from './plugins/maintenance.ts'
import { createNotFoundHandler, createUnreadableHandler, takesPages } from './plugins/not-found.ts'
import { createRateLimits, type RateLimits } from './plugins/rate-limit.ts'
import { logRequests } from './plugins/request-log.ts'
import { addSecurityHeaders } from './plugins/security-headers.ts'
import { createSessions } from './plugins/session.ts'
import { answerClientError, outlastSlowClients, slowClientLimits } from './plugins/slow-clients.ts'
import { addAccountRoutes } from './routes/account.ts'
import { addBillingRoutes } from './routes/billing.ts'
import { addDevMailRoutes } from './routes/dev-mail.ts'
import { addDevTokenRoutes } from './routes/dev-tokens.ts'
import { addDocsRoutes } from './routes/docs.ts'
import { addDownloadRoutes, DOWNLOADS } from './routes/downloads.ts'
import { addFilterRoutes } from './routes/filter.ts'
import { addFrameRoutes } from './routes/frame.ts'
import { addHealthRoutes } from './routes/health.ts'
import { addHistoryRoutes } from './routes/history.ts'
import { addLoginRoutes } from './routes/login.ts'
import { addLogoAddressRoute, addLogoRoute } from './routes/logos.ts'
import { addMetrics } from './routes/metrics.ts'
import { addOrderFileRoutes } from './routes/order-files.ts'
import { addPageAssets } from './routes/page-assets.ts'
import { addRegisterRoutes } from './routes/register.ts'
import { addSandboxRoutes } from './routes/sandbox.ts'
import { addSdkRoutes } from './routes/sdk.ts'
import { addStatusRoutes } from './routes/status.ts'
import { addKeyPlanRoute, addSubscriptionRoutes } from './routes/subscription.ts'
import { addSystemRoutes } from './routes/system.ts'
import { addTokenRoutes } from './routes/tokens.ts'
import { addUsageRoutes } from './routes/usage.ts'
import { addWebRoutes } from './routes/web.ts'
import { judge } from './status/service-state.ts'
import { createStatusHistory, type StatusHistory } from './status/status-history.ts'
import { addWebhookRoutes } from './webhooks/webhook-routes.ts'

/**
 * The HTTP side of the product: API, pages, health and metrics. Ready, but not listening: the caller listens on it, adds
 * websockets and closes it.
 */
export async function createApi(parts: ApiParts): Promise<FastifyInstance> {
  const app = Fastify({
    logger: false,
    bodyLimit: BODY_MAX_BYTES,
    ...slowClientLimits(parts.requestTimeoutMs ?? REQUEST_TIMEOUT_MS),
    trustProxy: parts.trustProxy.length > 0 ? [...parts.trustProxy] : false,
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 500 },
    frameworkErrors: createUnreadableHandler(parts),
    clientErrorHandler: answerClientError,
  }).withTypeProvider<ZodTypeProvider>()

  app.addConstraintStrategy(createRoomDoor(parts))
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  app.setErrorHandler(createErrorHandler(parts.log, parts.supportEmail))
  app.decorateRequest('accountId', '')
  app.decorateRequest('sessionId', '')
  acceptJsonOnly(app)
  logRequests(app, parts.log, DOWNLOADS)
  outlastSlowClients(app)
  await addSecurityHeaders(app, parts)

  const signIns = createSignInMetrics()
  addMetrics(app, { ...parts, metrics: [...parts.metrics, signIns.metrics, parts.webhooks.metrics] })
  addHealthRoutes(app, parts)

  const limits = await createRateLimits(app, parts.authRatePerAddress, parts.elapsed)
  await addApi(app, parts, limits)
  addDeploymentProof(app, { ...parts, limits })
  await addRoom(app, { ...parts, limits, noteClosed: signIns.noteClosed })
  await addDelivery(app, { ...parts, limits })
  await addPages(app, parts, limits)

  await app.ready()
  return app
}

async function addApi(app: FastifyInstance, parts: ApiParts, limits: RateLimits): Promise<void> {
  const { accounts, sessionSecret: secret, clock } = parts
  const routeParts = { ...parts, sessions: createSessions({ accounts, secret, clock }), limits }

  await app.register(async (scope) => {
    scope.addHook('onSend', async (_request, reply) => void reply.header('cache-control', 'no-store'))
    refuseDuringMaintenance(scope, parts)
    const api = scope.withTypeProvider<ZodTypeProvider>()
    addLoginRoutes(api, routeParts)
    addRegisterRoutes(api, routeParts)
    addAccountRoutes(api, routeParts)
    addSubscriptionRoutes(api, routeParts)
    addUsageRoutes(api, routeParts)
    addLogoAddressRoute(api, routeParts)
    addTokenRoutes(api, routeParts)
    addFilterRoutes(api, routeParts)
    addSystemRoutes(api, routeParts)
    addHistoryRoutes(api, routeParts)
    if (parts.billing) await addBillingRoutes(scope, parts, parts.billing)
  })
  await app.register(async (scope) => {
    acceptAnyAsJson(scope)
    asFace(scope, parts)
    refuseDuringMaintenance(scope, parts)
    const api = scope.withTypeProvider<ZodTypeProvider>()
    addWebhookRoutes(api, routeParts)
    addKeyPlanRoute(api, routeParts)
  })
}

/** The operator's room, for those whom its door lets in. */
async function addRoom(
  app: FastifyInstance,
  parts: ApiParts & { limits: RateLimits; noteClosed(): void },
): Promise<void> {
  const room = roomOf(parts)
  await app.register(async (scope) => {
    scope.addHook('onRequest', addRoomHeaders)
    scope.addHook('onRequest', createSameOriginCheck(room))
    scope.addHook('onResponse', createRefusalLog(parts.log))
    const api = scope.withTypeProvider<ZodTypeProvider>()
    addSessionRoutes(api, { ...parts, room })
    addVerbRoutes(api, { ...parts, room })
    addRoomPages(api, parts)
  })
}

/** Routes of the archive for programs, which pages of other sites may call too and which need no session. */
async function addDelivery(app: FastifyInstance, parts: ApiParts & { limits: RateLimits }): Promise<void> {
  await app.register(async (scope) => {
    acceptAnyAsJson(scope)
    scope.addHook('onRequest', async (_request, reply) => {
      reply.headers({
        'access-control-allow-origin': '*',
        'access-control-expose-headers':
          'Accept-Ranges, Content-Disposition, Content-Length, Content-Range, ETag',
        'cross-origin-resource-policy': 'cross-origin',
        'cache-control': 'private',
      })
    })
    scope.addHook('onSend', async (_request, reply) => {
      if (reply.statusCode === 503) reply.header('retry-after', ARCHIVE_RETRY_SECONDS)
      if (reply.statusCode === 429 && !reply.hasHeader('retry-after')) reply.header('retry-after', 1)
    })
    const pages = createPages(parts)
    // A person who clicked a link on the orders page reads the reason on a page; programs get JSON.
    scope.setErrorHandler((error, request, reply) => {
      if (!(error instanceof AppError) || !takesPages(request)) throw error
      return pages.send(
        reply.code(error.status),
        noDownload(error.message.replace(SUPPORT_EMAIL, parts.supportEmail)),
      )
    })
    const api = scope.withTypeProvider<ZodTypeProvider>()
    addOrderFileRoutes(api, parts)
    addDownloadRoutes(api, parts)
  })
}

/** Seconds after which to retry while the archive is away; the service itself retries as often. */
const ARCHIVE_RETRY_SECONDS = 30

async function addPages(app: FastifyInstance, parts: ApiParts, limits: RateLimits): Promise<void> {
  const { mailbox, mailsSettled, sandbox, clock, simulated, ownPages } = parts
  const pages = createPages(parts)

  await addPageAssets(app, parts)
  addDocsRoutes(app, parts.docs, limits, pages)
  addFrameRoutes(app, { ...parts, limits }, createCodeSamples(parts))
  addLogoRoute(app, parts)
  addStatusRoutes(app, { ...parts, limits }, addStatusHistory(app, parts), pages)
  await app.register(async (scope) => {
    scope.addHook('onRequest', createLocalOnly(parts))
    if (mailbox) addDevMailRoutes(scope, { mailbox, mailsSettled, clock }, pages)
    if (simulated && ownPages) addDevTokenRoutes(scope, { ...parts, ownPages })
    if (sandbox) await addSandboxRoutes(scope, { ...parts, sandbox }, pages)
  })
  addSdkRoutes(app, parts)
  addWebRoutes(app, parts, pages)
  app.setNotFoundHandler(createNotFoundHandler(pages, limits, parts))
}

/** Measures while the app runs; not while it is not ready, since it is then starting or stopping. */
function addStatusHistory(app: FastifyInstance, parts: ApiParts): StatusHistory {
  const check = async () => (parts.ready() ? judge(parts.sourceState(), await askParts(parts)) : undefined)
  const history = createStatusHistory({ ...parts, file: parts.statusFile, check })
  app.addHook('onReady', history.start)
  app.addHook('onClose', history.stop)
  return history
}

/** Treats an empty body as none, whatever its content type: many clients always send the header. */
function acceptJsonOnly(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')

  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body: string, done) => {
    if (body === '') return done(null, undefined)
    if (isDeep(body)) return done(new AppError('ERR_VALIDATION'))
    parse(request, body, done)
  })
}

/** The command-line tool sends JSON without a content type. A body that is not JSON counts as none. */
function acceptAnyAsJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body: string, done) =>
    done(null, isDeep(body) ? undefined : readObject(body)),
  )
}

/** Whether a body has 2,000 lists and objects outside of texts: nested, they overflow the stack of code that walks them. */
const isDeep = (body: string) => body.replace(/"(\\.|[^"\\])*"?/gs, '').split(/[[{]/, 2_000).length === 2_000
