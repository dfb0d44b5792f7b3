import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Pages } from '../pages/page.ts'

/** Every page of the dashboard; any other path below /dashboard leads to /404. */
const DASHBOARD_PATHS = [
  '/dashboard',
  '/dashboard/account',
  '/dashboard/console',
  '/dashboard/guides',
  '/dashboard/help',
  '/dashboard/login',
  '/dashboard/register',
  '/dashboard/upgrade',
  '/dashboard/payment',
  '/dashboard/historical',
  '/dashboard/historical/shop',
  '/dashboard/historical/orders',
  '/logout',
]

/**
 * The built web app: its page at every address of the dashboard, its files as they are. Names under /assets hold
 * a hash of their content, so browsers may keep them for ever.
 *
 * @throws when `webRoot` holds no built app
 */
export function addWebRoutes(app: FastifyInstance, webRoot: string | undefined, pages: Pages): void {
  app.get('/', (_request, reply) => reply.redirect('/dashboard', 302))
  if (webRoot === undefined) {
    app.get('/404', (_request, reply) =>
      pages.send(reply.code(404), { title: 'Page not found', main: pages.notFound }),
    )
    return
  }
  if (!existsSync(join(webRoot, 'index.html'))) throw new Error(`The web app is not built in ${webRoot}.`)

  const sendApp = (reply: FastifyReply) =>
    reply.header('cache-control', 'no-cache').sendFile('index.html', webRoot, { cacheControl: false })

  for (const path of DASHBOARD_PATHS) app.get(path, (_request, reply) => sendApp(reply))
  app.get('/404', (_request, reply) => sendApp(reply.code(404)))

  app.get<{ Params: { '*': string } }>('/assets/*', (request, reply) =>
    reply.sendFile(request.params['*'], join(webRoot, 'assets'), { immutable: true, maxAge: '365d' }),
  )
  for (const name of filesAtTop(webRoot)) {
    app.get(`/${name}`, (_request, reply) =>
      reply.header('cache-control', 'no-cache').sendFile(name, webRoot, { cacheControl: false }),
    )
  }
}

/** Files beside index.html, such as the theme's script; their compressed twins are found by the sender. */
function filesAtTop(webRoot: string): string[] {
  return readdirSync(webRoot, { withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => entry.name)
    .filter((name) => name !== 'index.html' && !/\.(br|gz|map)$/.test(name))
}
