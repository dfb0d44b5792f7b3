import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

/** A post as a receiver got it. */
export type Got = Readonly<{
  id: string
  text: string
  body: { type: string; timestamp: string; data: { first: string; last: string; events: Frame[] } }
  headers: IncomingHttpHeaders
  at: number
}>
export type Frame = Readonly<{
  method: string
  cursor?: string
  params: Record<string, unknown>
  facts?: unknown
}>

/** What a receiver answers: a status, with headers; or nothing at all. */
export type Reply =
  | number
  | Readonly<{ status: number; headers?: Record<string, string>; body?: string }>
  | 'cut'
  | 'hang'

/** A receiver of webhooks on this machine, which answers as it is told: 200 by default. */
export async function startReceiver() {
  const got: Got[] = []
  const sockets = new Set<Socket>()
  const receiver = {
    got,
    url: '',
    /** Decides on the answer to each post. */
    answer: (_post: Got): Reply | Promise<Reply> => 200,
    /** The cursors of all events, in the order in which they came. */
    cursors: () => got.flatMap(({ body }) => body.data.events.map(({ cursor }) => cursor)),
    async stop() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const piece of request) text += piece
    const id = String(request.headers['webhook-id'])
    const post = { id, text, body: JSON.parse(text), headers: request.headers, at: performance.now() }
    got.push(post)
    const reply = await receiver.answer(post)
    if (reply === 'hang') return
    if (reply === 'cut') return void request.socket.destroy()
    const { status, headers = {}, body = '' } = typeof reply === 'number' ? { status: reply } : reply
    response.writeHead(status, headers).end(body)
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  return receiver
}
