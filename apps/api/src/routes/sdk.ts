import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '@pairwire/contract'
import type { FastifyInstance } from 'fastify'
import type { ApiParts } from '../parts.ts'

/**
 * The SDK that matches this service, so that nobody needs an account at a registry: its list at /sdk, its files below. Any
 * page may load them.
 *
 * @throws if `sdkRoot` holds no built SDK
 */
export function addSdkRoutes(app: FastifyInstance, { sdkRoot }: Pick<ApiParts, 'sdkRoot'>): void {
  const list = readFileSync(join(sdkRoot, 'index.json'), 'utf8')
  // The build wrote it.
  const { files } = JSON.parse(list) as { files: { name: string }[] }

  app.get('/sdk', (_request, reply) =>
    reply.header('cache-control', 'no-cache').type('application/json').send(list),
  )
  for (const { name } of files) {
    app.get(`/sdk/${name}`, (_request, reply) =>
      reply
        .headers({ 'cache-control': 'no-cache', 'access-control-allow-origin': '*' })
        .sendFile(name, sdkRoot, { cacheControl: false }),
    )
  }
  app.get('/sdk/*', () => {
    throw new AppError('ERR_NOT_FOUND')
  })
}
