/** Where NATS is and how to be let in, as NATS_URL says it. */
export type NatsAddress = Readonly<{
  /** `host:port` of each server, in which no secret stands. */
  servers: readonly string[]
  user?: string
  password?: string
  token?: string
  /** Path of a `.creds` file. */
  credentialsFile?: string
  /** Set where the connection has to be encrypted; paths of PEM files where the machine's own do not do. */
  tls?: Readonly<{ caFile?: string; certFile?: string; keyFile?: string }>
}>

/** What may stand behind the `?`. */
const SETTINGS = { creds: 'credentialsFile', ca: 'caFile', cert: 'certFile', key: 'keyFile' } as const

/**
 * Reads `nats://user:password@host:4222`, several separated by commas; `tls://` to insist on TLS, a name alone before
 * the `@` as a token, and behind a `?` the paths `creds`, `ca`, `cert` and `key`. Who is let in is read from the first.
 * With TLS a server is to be named as its certificate names it, which is not by a number.
 *
 * @throws Error with a sentence without secrets
 */
export function readNatsAddress(text: string): NatsAddress {
  const urls = text.split(',').map((part) => readUrl(part.trim()))
  const first = urls[0]!
  const files: { -readonly [Name in (typeof SETTINGS)[keyof typeof SETTINGS]]?: string } = {}
  for (const [name, value] of first.searchParams) {
    const setting = SETTINGS[name as keyof typeof SETTINGS]
    if (setting === undefined || value === '') {
      throw new Error('NATS_URL: behind the ? only creds, ca, cert and key are known, each with a path.')
    }
    files[setting] = value
  }
  const { credentialsFile, ...tlsFiles } = files
  const isEncrypted = Object.keys(tlsFiles).length > 0 || urls.some(({ protocol }) => protocol === 'tls:')
  return {
    servers: urls.map(({ hostname, port }) => `${hostname}:${port || '4222'}`),
    ...readLogin(first),
    ...(credentialsFile !== undefined && { credentialsFile }),
    ...(isEncrypted && { tls: tlsFiles }),
  }
}

function readLogin(url: URL): Pick<NatsAddress, 'user' | 'password' | 'token'> {
  if (url.username === '') return {}
  const user = decodeURIComponent(url.username)
  return url.password === '' ? { token: user } : { user, password: decodeURIComponent(url.password) }
}

function readUrl(text: string): URL {
  try {
    // Of a scheme that it does not know the parser takes the host as it stands.
    const url = new URL(text)
    if (/^(nats|tls):$/.test(url.protocol) && url.hostname !== '' && /^\/?$/.test(url.pathname)) return url
  } catch {
    // What it says may hold the password.
  }
  throw new Error('NATS_URL: write nats://host:4222 or tls://host:4222, several separated by commas.')
}
