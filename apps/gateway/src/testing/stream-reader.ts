import { type ClientRequest, type IncomingHttpHeaders, request } from 'node:http'
import { vi } from 'vitest'

/** A message as a test reads it: its id, if it has one, and its JSON. */
// biome-ignore lint/suspicious/noExplicitAny: a test asserts the form of what it reads
export type Message = Readonly<{ id: string | undefined; data: any }>

/** A client of a stream over HTTP that keeps what it gets. */
export type StreamReader = {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly request: ClientRequest
  /** Raw text of the body so far. */
  text(): string
  /** The messages so far; of JSON lines as well. */
  messages(): readonly Message[]
  /** The id with which a browser would come back. */
  lastEventId(): string | undefined
  /** Resolves with the messages once there are this many. */
  until(count: number): Promise<readonly Message[]>
  /** Resolves with the whole body once it has ended. */
  ended: Promise<string>
}

/** Milliseconds after which a test gives up; if all is well, nothing waits that long. */
const PATIENCE_MS = 20_000

/** Opens a stream, or another answer. */
export function readStream(
  port: number,
  path: string,
  {
    method = 'GET',
    headers = {},
    body,
  }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<StreamReader> {
  return new Promise((resolve, reject) => {
    const asked = request({ port, host: '127.0.0.1', path, method, headers, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
      })
      const ended = new Promise<string>((resolve) => response.on('close', () => resolve(text)))
      const isLines = response.headers['content-type'] === 'application/x-ndjson'
      const messages = () =>
        isLines ? readLines(text) : readEvents(text).filter(({ data }) => data !== undefined)
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        request: asked,
        text: () => text,
        messages,
        lastEventId: () => readEvents(text).findLast(({ id }) => id !== undefined)?.id,
        until: (count) =>
          vi.waitUntil(() => messages().length >= count && messages(), { timeout: PATIENCE_MS, interval: 5 }),
        ended,
      })
    })
    asked.on('error', reject)
    asked.end(body)
  })
}

/** Reads whole events, those without data too. */
function readEvents(text: string): Message[] {
  return text
    .split('\n\n')
    .slice(0, -1)
    .map((block) => {
      const fields = block.split('\n').filter((line) => !line.startsWith(':'))
      const fieldOf = (name: string) =>
        fields.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
      const data = fieldOf('data')
      return { id: fieldOf('id'), data: data === undefined ? undefined : JSON.parse(data) }
    })
}

function readLines(text: string): Message[] {
  const lines = text.split('\n').slice(0, -1).filter(Boolean)
  return lines.map((line) => ({ id: undefined, data: JSON.parse(line) }))
}
