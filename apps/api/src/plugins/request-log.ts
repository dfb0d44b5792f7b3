import type { Log } from '@pairwire/basics'
import type { FastifyInstance } from 'fastify'

/**
 * Logs calls that failed on our side or took long, by the route's pattern: the requested address may hold a token in its
 * query, and a stranger's text in its path. Below `files` a call may take long: a file is large, and its reader may be slow.
 */
export function logRequests(app: FastifyInstance, log: Log, files: string): void {
  app.addHook('onResponse', async (request, reply) => {
    const slow = reply.elapsedTime > SLOW_MS && !request.routeOptions.url?.startsWith(files)
    // A 503 is a normal answer of /readyz.
    if (!slow && (reply.statusCode < 500 || request.routeOptions.url === '/readyz')) return

    log.warn(slow ? 'A call was slow.' : 'A call was answered with an error.', {
      method: request.method,
      route: request.routeOptions.url ?? 'unknown',
      status: reply.statusCode,
      milliseconds: Math.round(reply.elapsedTime),
    })
  })
}

/** Milliseconds from which a call counts as slow. */
const SLOW_MS = 2_000
