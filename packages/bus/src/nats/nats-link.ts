import { readFileSync } from 'node:fs'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { AuthorizationError, createInbox, credsAuthenticator } from '@nats-io/nats-core'
import { compare, parseSemVer } from '@nats-io/nats-core/internal'
import { connect, type NatsConnection, type NodeConnectionOptions } from '@nats-io/transport-node'
import type { Log } from '@pairwire/basics'
import { callAll, register } from '../listeners.ts'
import type { NatsAddress } from '../nats-address.ts'

/** A connection to NATS that reconnects by itself until it is closed. */
export type NatsLink = Awaited<ReturnType<typeof openNatsLink>>

/** Milliseconds that the first connection may take. */
const CONNECT_TIMEOUT_MS = 5_000

/** Milliseconds between two attempts to reconnect. */
const RECONNECT_EVERY_MS = 250

/** Milliseconds between two pings; after two without an answer the connection counts as dead. */
const PING_EVERY_MS = 1_000

/** Milliseconds that JetStream has to answer; later the request is repeated. */
const ANSWER_TIMEOUT_MS = 2_000

/** As `deploy/nats.conf` requires: older ones cannot write each message to disk before they acknowledge it. */
const LEAST_VERSION = '2.10.23'

/** Smallest message size with which splitting makes sense. */
const LEAST_PAYLOAD = 8 * 1024

/** Connects. @throws Error with a sentence for the operator */
export async function openNatsLink(address: NatsAddress, log: Pick<Log, 'warn'>) {
  const where = address.servers.join(', ')
  const cannot = (why: string) => new Error(`Pairwire cannot reach NATS at ${where}: ${why}`)

  let connection: NatsConnection
  try {
    connection = await connect(connectOptions(address))
  } catch (error) {
    throw cannot(whyOf(error))
  }

  let isUp = true
  let isClosed = false
  const listeners = new Set<(isUp: boolean) => void>()
  const change = (up: boolean) => {
    if (up === isUp) return
    isUp = up
    callAll(listeners, up)
  }
  const watch = async () => {
    for await (const { type } of connection.status()) {
      if (type === 'disconnect') change(false)
      else if (type === 'reconnect') change(true)
    }
  }
  void watch()

  const onChange = (listener: (isUp: boolean) => void) => register(listeners, listener)
  const link = {
    connection,
    isUp: () => isUp,
    /** Largest message in bytes, including its headers. */
    maxPayload: () => connection.info?.max_payload ?? LEAST_PAYLOAD,
    /** Resolves once it is connected, or closed. */
    whenUp: async () => {
      if (isUp || isClosed) return
      await new Promise<void>((resolve) => {
        const leave = onChange(() => {
          leave()
          resolve()
        })
      })
    },
    /** Calls `listener` whenever the connection is lost or restored, until the returned function is called. */
    onChange,
    /** A unique subject that this connection may subscribe to. */
    newInbox: () => createInbox(inboxesOf(address)),
    async close() {
      isClosed = true
      await connection.close()
      callAll(listeners, false)
    },
  }
  try {
    const { version = LEAST_VERSION } = connection.info ?? {}
    if (compare(parseSemVer(version), parseSemVer(LEAST_VERSION)) < 0) {
      log.warn(
        `NATS at ${where} is version ${version}; use ${LEAST_VERSION} or newer. An older one may lose events in a power cut, and fall silent on a full disk.`,
      )
    }
    if (link.maxPayload() < LEAST_PAYLOAD) {
      throw cannot(`its max_payload is ${link.maxPayload()} bytes; set it to ${LEAST_PAYLOAD} or more.`)
    }
    const options = { timeout: ANSWER_TIMEOUT_MS }
    const jsm = await jetstreamManager(connection, options).catch((error: unknown) => {
      throw cannot(
        `it runs without JetStream (start it with -js), or does not let us use it. ${String(error)}`,
      )
    })
    return { ...link, js: jetstream(connection, options), jsm }
  } catch (error) {
    await link.close()
    throw error
  }
}

/** Returns the prefix of inboxes: each login has its own, so that permissions keep others from listening there. */
function inboxesOf({ user = '' }: NatsAddress): string {
  return /^[\w-]+$/.test(user) ? `_INBOX.${user}` : '_INBOX'
}

function connectOptions(address: NatsAddress): NodeConnectionOptions {
  const { servers, user, password, token, credentialsFile, tls } = address
  return {
    servers: [...servers],
    name: 'pairwire',
    inboxPrefix: inboxesOf(address),
    timeout: CONNECT_TIMEOUT_MS,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_EVERY_MS,
    reconnectJitter: 100,
    reconnectJitterTLS: 100,
    pingInterval: PING_EVERY_MS,
    maxPingOut: 2,
    // A restarting server whose accounts are not loaded yet refuses for a moment.
    ignoreAuthErrorAbort: true,
    ...(user !== undefined && { user, pass: password ?? '' }),
    ...(token !== undefined && { token }),
    ...(credentialsFile !== undefined && {
      authenticator: credsAuthenticator(readFileSync(credentialsFile)),
    }),
    ...(tls && { tls: { ...tls } }),
  }
}

/** Explains an error to the operator, without what was sent. */
function whyOf(error: unknown): string {
  const causes = causesOf(error)
  if (causes.some((cause) => cause instanceof AuthorizationError)) {
    return 'it does not accept the credentials in NATS_URL.'
  }
  const code = causes
    .map((cause) => (cause as NodeJS.ErrnoException).code)
    .find((found) => found !== undefined)
  if (code === 'ENOENT' || code === 'EACCES') return 'a file that NATS_URL names cannot be read.'
  if (code === 'ECONNREFUSED') return 'nothing listens there.'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'no such host.'
  return String(causes.at(-1))
}

function causesOf(error: unknown): Error[] {
  const causes: Error[] = []
  for (let cause = error; cause instanceof Error && causes.length < 5; cause = cause.cause) causes.push(cause)
  return causes
}
