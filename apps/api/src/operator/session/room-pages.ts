import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyReply } from 'fastify'
import { lookOf, markOf } from '../../pages/brand/brand-look.ts'
import { createCompressed } from '../../pages/compressed.ts'
import type { ApiParts } from '../../parts.ts'
import type { ApiApp } from '../../routes/api-route.ts'
import { ROOM_ONLY } from './room-door.ts'

/**
 * The built room: its page at every address below `/admin`, and its files, whose names contain a hash of their content.
 *
 * @throws if `adminRoot` holds no built room
 */
export function addRoomPages(app: ApiApp, { adminRoot, brand }: ApiParts): void {
  if (adminRoot === undefined) return
  // The mark too: the room's host may have no other pages. "<" would end the element early.
  const name = brand.isOwn && brand.name
  const own = JSON.stringify({ name, mark: markOf(brand), look: lookOf(brand), figures: brand.figures })
  const element = `<script type="application/json" id="brand">${own.replaceAll('<', '\\u003c')}</script>`
  const page = readFileSync(join(adminRoot, 'index.html'), 'utf8')
  const sendPage = createCompressed(page.replace(/(?=<\/head>)/, () => element))
  const sendScript = createCompressed(readFileSync(join(adminRoot, 'first.js'), 'utf8'))
  const show = (_request: unknown, reply: FastifyReply) => sendPage(reply.type('text/html; charset=utf-8'))
  app.get('/admin', ROOM_ONLY, show)
  app.get('/admin/*', ROOM_ONLY, show)
  app.get('/admin/first.js', ROOM_ONLY, (_request, reply) =>
    sendScript(reply.type('text/javascript; charset=utf-8')),
  )
  app.get<{ Params: { '*': string } }>('/admin/assets/*', ROOM_ONLY, (request, reply) =>
    reply.sendFile(request.params['*'], join(adminRoot, 'assets'), { immutable: true, maxAge: '365d' }),
  )
}
