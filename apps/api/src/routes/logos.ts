import { AppError, routes } from '@pairwire/contract'
import {
  createPublicFetch,
  createPublicResolver,
  FILE_URL_MAX,
  type OwnPages,
  readFileUrl,
} from '@pairwire/public-fetch'
import type { FastifyInstance } from 'fastify'
import * as z from 'zod'
import { openLogoFolder } from '../logos/logo-folder.ts'
import { createLogoSignature } from '../logos/logo-signature.ts'
import { createLogos, type Logos } from '../logos/logos.ts'
import { redraw } from '../logos/redraw.ts'
import type { ApiParts } from '../parts.ts'
import { type ApiApp, asRoute, type RouteParts } from './api-route.ts'

/** POST /api/logos: the addresses at which a signed-in page may show logos. */
export function addLogoAddressRoute(
  app: ApiApp,
  { sessions, limits, sessionSecret, ownPages }: RouteParts,
): void {
  const { pathOf } = createLogoSignature(sessionSecret)

  app.route({
    ...asRoute(routes.logos),
    onRequest: [sessions.require, limits.perAccount],
    handler: ({ body }) => ({
      paths: body.urls.map((url) => (readFileUrl(url, ownPages) ? pathOf(url) : null)),
    }),
  })
}

const Query = z.object({ url: z.string().max(FILE_URL_MAX), s: z.string().max(64) })

const PICTURE_MAX_BYTES = 1024 * 1024

/** Seconds for which browsers keep a logo. */
const KEPT_SECONDS = 7 * 24 * 60 * 60

/** GET /img/logo: a token's logo by its signed address, as a small WebP; 404 in every other case. */
export function addLogoRoute(
  app: FastifyInstance,
  {
    sessionSecret,
    logoFolder,
    elapsed,
    logos,
    ownPages,
  }: Pick<ApiParts, 'sessionSecret' | 'logoFolder' | 'elapsed' | 'logos' | 'ownPages'>,
): void {
  const { isGood } = createLogoSignature(sessionSecret)
  const source = logos ?? createPublicLogos(logoFolder, elapsed, ownPages)

  app.get('/img/logo', async (request, reply) => {
    const query = Query.safeParse(request.query)
    if (!query.success || !isGood(query.data.url, query.data.s)) throw new AppError('ERR_NOT_FOUND')

    const logo = await source.get(query.data.url)
    if (!logo) {
      return reply.code(404).header('cache-control', 'public, max-age=4').send()
    }
    return reply
      .type('image/webp')
      .header('cache-control', `public, max-age=${KEPT_SECONDS}, immutable`)
      .header('content-security-policy', "default-src 'none'; sandbox")
      .send(logo)
  })
}

/** Fetches logos from the public internet only, except for our own pages. */
function createPublicLogos(
  folder: string | undefined,
  elapsed: () => number,
  own: OwnPages | undefined,
): Logos {
  const fetchPicture = createPublicFetch({
    resolve: createPublicResolver(),
    sizeLimit: PICTURE_MAX_BYTES,
    accept: 'image/webp,image/png,image/jpeg,image/gif',
    own,
  })
  return createLogos({ fetchPicture, redraw, folder: openLogoFolder(folder), elapsed, own })
}
