import { type PairwireError, sdkError } from './errors.ts'
import type { LineSettings } from './lasting-line.ts'
import type { LineState } from './line-states.ts'
import type { WebSocketClass } from './socket.ts'

/** Options of {@link createPairwire}; each names its default. */
export type PairwireOptions = Readonly<{
  /** Address of the stream, by default the variable `PAIRWIRE_URL`. `http` and `https` are read as `ws` and `wss`. */
  url?: string | undefined
  /** The API key, or a function called at every connect that returns it; by default the variable `PAIRWIRE_KEY`. */
  key?: string | (() => string | Promise<string>) | undefined
  /** A websocket class; by default that of the `ws` package if it is installed, else the runtime's own. */
  WebSocket?: WebSocketClass | undefined
  /** Milliseconds before an attempt to connect is given up, 10,000. */
  connectTimeoutMs?: number | undefined
  /** Longest first wait between retries in milliseconds, 500; it doubles with each retry. */
  retryFirstMs?: number | undefined
  /** Longest wait between retries in milliseconds, 30,000. */
  retryMaxMs?: number | undefined
  /** Milliseconds without a frame before the service is pinged, 15,000. */
  quietMs?: number | undefined
  /** Called with each state of the connection and the reason for it. By default each new reason is a warning. */
  onState?: ((state: LineState, why: PairwireError | null) => void) | undefined
  /** Called with a sentence for each problem that nothing else reports; by default `console.warn`. */
  onWarning?: ((sentence: string) => void) | undefined
}>

/** Reads the options, with missing ones from the environment. @throws UsageError (`NO_URL`, `NO_KEY`) */
export function readConfig(options: PairwireOptions): LineSettings {
  const { connectTimeoutMs = 10_000, retryFirstMs = 500, retryMaxMs = 30_000, quietMs = 15_000 } = options
  const url = readUrl(options.url ?? fromEnvironment('PAIRWIRE_URL'))
  const docsUrl = `${url.origin.replace(/^ws/, 'http')}/docs`
  const key = options.key ?? fromEnvironment('PAIRWIRE_KEY')
  if (!key) throw sdkError('NO_KEY', docsUrl)
  const times = { connectTimeoutMs, retryFirstMs, retryMaxMs, quietMs }
  for (const [name, value] of Object.entries(times))
    if (!(value > 0)) throw new RangeError(`${name} must be a number of milliseconds above 0.`)
  return { ...options, url: url.href, key, docsUrl, ...times }
}

function readUrl(text = ''): URL {
  // A bad address is not repeated in the error, since it may hold a key.
  const url = /^(http|ws)s?:/i.test(text) && URL.canParse(text) && new URL(text.replace(/^http/i, 'ws'))
  if (!url) throw sdkError('NO_URL', '/docs')
  return url
}

function fromEnvironment(name: string): string | undefined {
  return globalThis.process?.env?.[name]
}
