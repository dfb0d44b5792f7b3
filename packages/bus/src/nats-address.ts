/** Where NATS is and how to authenticate, from NATS_URL. */
export type NatsAddress = Readonly<{
  /** `host:port` of each server, without secrets. */
  servers: readonly string[]
  user?: string
  password?: string
  token?: string
  /** Path of a `.creds` file. */
  credentialsFile?: string
  /** Set if the connection must be encrypted; paths of PEM files that replace the machine's own. */
  tls?: Readonly<{ caFile?: string; certFile?: string; keyFile?: string }>
}>

/** Settings allowed after the `?`. */
const SETTINGS = { creds: 'credentialsFile', ca: 'caFile', cert: 'certFile', key: 'keyFile' } as const

/**
 * Parses `nats://user:password@host:4222`, several separated by commas; `tls://` requires TLS, a single name before the
 * `@` is a token, and the paths `creds`, `ca`, `cert` and `key` follow a `?` of any server,
 * for all of them. The login is that of the first. With TLS, name a server as its certificate does, not by an IP address.
 *
 * @throws Error with a sentence without secrets that begins in lower case
 */
export function readNatsAddress(text: string): NatsAddress {
  const urls = text.split(',').map((part) => readUrl(part.trim()))
  const first = urls[0]!
  const files: { -readonly [Name in (typeof SETTINGS)[keyof typeof SETTINGS]]?: string } = {}
  for (const [name, value] of urls.flatMap(({ searchParams }) => [...searchParams])) {
    const setting = SETTINGS[name as keyof typeof SETTINGS]
    if (setting === undefined || value === '') {
      throw new Error('must have nothing behind the ? but creds, ca, cert and key, each with a path.')
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
    // For an unknown scheme the parser keeps the host unchanged, and takes a % that begins no escape.
    const url = new URL(text)
    decodeURIComponent(`${url.username}:${url.password}`)
    if (/^(nats|tls):$/.test(url.protocol) && url.hostname !== '' && /^\/?$/.test(url.pathname)) return url
  } catch {
    // Its message may contain the password.
  }
  throw new Error('must be nats://host:4222 or tls://host:4222, separated by commas, with a % as %25.')
}
