import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PAGE_PATHS } from '@pairwire/contract'
import type { FastifyInstance } from 'fastify'
import { brandPage } from '../pages/brand/brand-page.ts'
import { createFile } from '../pages/compressed.ts'
import type { Pages } from '../pages/page.ts'
import type { ApiParts } from '../parts.ts'

/**
 * The built web app: its page at every address of the dashboard, its files unchanged. Names under /assets contain a hash of
 * their content, so browsers may cache them for ever.
 *
 * @throws if `webRoot` holds no built app
 */
export function addWebRoutes(
  app: FastifyInstance,
  { webRoot, publicUrl, brand }: Pick<ApiParts, 'webRoot' | 'publicUrl' | 'brand'>,
  pages: Pages,
): void {
  app.get('/', (_request, reply) => reply.redirect('/dashboard', 302))
  if (webRoot === undefined) {
    app.get('/404', (_request, reply) => pages.sendNotFound(reply))
    return
  }
  if (!existsSync(join(webRoot, 'index.html'))) throw new Error(`The web app is not built in ${webRoot}.`)

  // Sites that show a shared link take its picture by an absolute address only.
  const page = readFileSync(join(webRoot, 'index.html'), 'utf8').replace(
    'content="/card.png"',
    `content="${publicUrl}/card.png"`,
  )
  const sendApp = createFile(brandPage(page, brand), 'text/html; charset=utf-8')

  for (const path of PAGE_PATHS) app.get(path, (_request, reply) => sendApp(reply))
  app.get('/404', (_request, reply) => sendApp(reply.code(404)))

  app.get<{ Params: { '*': string } }>('/assets/*', (request, reply) =>
    reply.sendFile(request.params['*'], join(webRoot, 'assets'), { immutable: true, maxAge: '365d' }),
  )
  // The picture for previews shows our name.
  for (const name of filesAtTop(webRoot).filter((name) => !brand.isOwn || name !== 'card.png')) {
    app.get(`/${name}`, (_request, reply) =>
      reply.header('cache-control', 'no-cache').sendFile(name, webRoot, { cacheControl: false }),
    )
  }
}

/** Files beside index.html, such as the theme's script; the sender finds their compressed twins. */
function filesAtTop(webRoot: string): string[] {
  return readdirSync(webRoot, { withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => entry.name)
    .filter((name) => name !== 'index.html' && !/\.(br|gz|map)$/.test(name))
}
