import { isIP } from 'node:net'
import type { Clock } from '@pairwire/basics'
import WebSocket from 'ws'
import { limitedTo } from '../limited-to.ts'
import { createRpcClient, RpcError } from '../rpc/rpc-client.ts'

/** Milliseconds in which an address must show what it speaks. */
const ANSWER_MS = 5_000

/** What a source's address may begin with, and whether the address in it is answered so. */
const FORMS: Readonly<Record<string, (url: URL, clock: Clock, signal: AbortSignal) => Promise<boolean>>> = {
  'yellowstone+https': speaksGrpc,
  'yellowstone+http': speaksGrpc,
  'rpc+https': speaksJsonRpc,
  'rpc+http': speaksJsonRpc,
  'logs+wss': opensWebSocket,
  'logs+ws': opensWebSocket,
}

/**
 * What else answers at the host and port of an address that cannot be read as it was given, as a source begins with it.
 * No token is sent: it may be meant for another, or would go without TLS.
 */
export async function findOtherProtocol(
  given: { kind: string; url: URL },
  clock: Clock,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { hostname, port, protocol, pathname } = given.url
  const isSecure = protocol === 'https:' || protocol === 'wss:'
  const trying = limitedTo(ANSWER_MS, clock, signal)
  const found = await Promise.all(
    Object.entries(FORMS).map(async ([form, speaks]) => {
      if (form === `${given.kind}+${protocol.slice(0, -1)}`) return undefined
      const [kind, scheme] = form.split('+')
      const path = kind === 'yellowstone' ? '/' : pathname
      const url = new URL(`${scheme}://${hostname}:${port || (isSecure ? 443 : 80)}${path}`)
      return (await speaks(url, clock, trying.signal)) ? form : undefined
    }),
  )
  trying.abort()
  const forms = found.filter((form) => form !== undefined)
  // With or without TLS is the likelier mistake than another protocol, as one port may answer to several.
  return forms.find((form) => form.startsWith(`${given.kind}+`)) ?? forms[0]
}

async function speaksJsonRpc(url: URL, clock: Clock, signal: AbortSignal): Promise<boolean> {
  try {
    await createRpcClient({ url, token: undefined, clock }).call('getHealth', [], signal)
    return true
  } catch (error) {
    return error instanceof RpcError
  }
}

function opensWebSocket(url: URL, _clock: Clock, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = new WebSocket(url, { handshakeTimeout: ANSWER_MS })
    const settle = (isOpen: boolean) => {
      resolve(isOpen)
      socket.terminate()
    }
    socket.on('open', () => settle(true))
    socket.on('error', () => settle(false))
    signal.addEventListener('abort', () => settle(false))
  })
}

async function speaksGrpc(url: URL, _clock: Clock, signal: AbortSignal): Promise<boolean> {
  // TLS knows servers by their names, and the library complains of an address that has none.
  if (url.protocol === 'https:' && isIP(url.hostname)) return false
  const { answersGrpc } = await import('../yellowstone/answers-grpc.ts')
  return answersGrpc(url, signal)
}
