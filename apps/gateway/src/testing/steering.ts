import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ServiceUnderTest } from '@pairwire/client/promises'

/** Lets programs in other languages control a service under test like the fake server: by `POST /fake/<verb>`. */
export async function startSteering(service: ServiceUnderTest): Promise<{ url: string; stop(): void }> {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    // Only our own tests call it.
    const act = service[request.url?.slice('/fake/'.length) as 'push'] as (...given: unknown[]) => unknown
    const result = (await act.call(service, ...JSON.parse(body))) ?? null
    response.end(JSON.stringify({ result }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => server.close(),
  }
}
