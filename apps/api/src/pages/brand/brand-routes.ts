import type { Brand } from '@pairwire/process/brand'
import type { FastifyInstance } from 'fastify'
import { createFile } from '../compressed.ts'
import { LOOK_PATH, lookOf, markOf } from './brand-look.ts'

/** Pictures and colours of the brand. Opened by itself, a picture can run and fetch nothing. */
export function addBrandRoutes(app: FastifyInstance, brand: Brand): void {
  const pictures = { '/brand/logo.svg': brand.logo?.svg, '/brand/mark.svg': markOf(brand) }
  for (const [path, svg] of Object.entries(pictures)) {
    if (svg === undefined) continue
    const send = createFile(svg, 'image/svg+xml')
    app.get(path, (_request, reply) =>
      send(reply.header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; sandbox")),
    )
  }
  const look = lookOf(brand)
  if (look === '') return
  const sendLook = createFile(look, 'text/css; charset=utf-8')
  app.get(LOOK_PATH, (_request, reply) => sendLook(reply))
}
