import { sdkError } from './errors.ts'
import type { LineSettings } from './lasting-line.ts'
import type { LineState } from './line-states.ts'
import type { WebSocketClass } from './platform.ts'

/** How the SDK connects. What is left out is as it says. */
export type PairwireOptions = Readonly<{
  /** Address of the stream; the variable `PAIRWIRE_URL`. `http` and `https` are read as `ws` and `wss`. */
  url?: string
  /** The API key, or what gives it, asked at every connect; the variable `PAIRWIRE_KEY`. */
  key?: string | (() => string | Promise<string>)
  /** A websocket class; that of the `ws` package where it is installed, else the runtime's own. */
  WebSocket?: WebSocketClass
  /** Milliseconds until a try to connect is given up, 10,000. */
  connectTimeoutMs?: number
  /** Milliseconds that the first wait takes at most, 500; each further one twice as many. */
  retryFirstMs?: number
  /** Milliseconds that any wait takes at most, 30,000. */
  retryMaxMs?: number
  /** Milliseconds without a frame until the service is asked whether it is there, 15,000. */
  quietMs?: number
  /** Told of each state of the line, and why it left the one before. Left out: each new reason is a warning. */
  onState?: (state: LineState, why: Error | null) => void
  /** Told in one sentence of what nobody else was told. Left out: `console.warn`. */
  onWarning?: (sentence: string) => void
}>

/** Reads the options, and from the environment what they leave out. @throws UsageError (`NO_URL`, `NO_KEY`) */
export function readConfig(options: PairwireOptions): LineSettings {
  const {
    WebSocket,
    connectTimeoutMs = 10_000,
    retryFirstMs = 500,
    retryMaxMs = 30_000,
    quietMs = 15_000,
  } = options
  const url = readUrl(options.url ?? fromEnvironment('PAIRWIRE_URL'))
  const docsUrl = `${url.origin.replace(/^ws/, 'http')}/docs`
  const key = options.key ?? fromEnvironment('PAIRWIRE_KEY')
  if (!key) throw sdkError('NO_KEY', docsUrl)
  const times = { connectTimeoutMs, retryFirstMs, retryMaxMs, quietMs }
  for (const [name, value] of Object.entries(times))
    if (!(value > 0)) throw new RangeError(`${name} must be a number of milliseconds above 0.`)
  return { url: url.href, key, docsUrl, WebSocket, ...times }
}

function readUrl(text = ''): URL {
  // An address that cannot be read is not repeated: it may hold a key.
  const url = /^(http|ws)s?:/i.test(text) && URL.canParse(text) && new URL(text.replace(/^http/i, 'ws'))
  if (!url) throw sdkError('NO_URL', '/docs')
  return url
}

function fromEnvironment(name: string): string | undefined {
  return globalThis.process?.env?.[name]
}
