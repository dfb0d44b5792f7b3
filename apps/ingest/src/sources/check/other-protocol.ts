import { isIP } from 'node:net'
import type { Clock } from '../../clock.ts'
import { createRpcClient, RpcError } from '../rpc/rpc-client.ts'

/** Milliseconds in which an address must show what it speaks. */
const ANSWER_MS = 3_000

/** What a source's address may begin with. */
const FORMS = ['yellowstone+https', 'yellowstone+http', 'rpc+https', 'rpc+http'] as const

/**
 * What else answers at the host and port of an address that cannot be read as it was given, as a source begins with it.
 * No token is sent: it may be meant for another, or would go without TLS.
 */
export async function findOtherProtocol(
  given: { kind: string; url: URL },
  clock: Clock,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { url } = given
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  const done = new AbortController()
  const limited = AbortSignal.any([signal, done.signal])
  void clock.wait(ANSWER_MS, limited).then(() => done.abort())
  const others = FORMS.filter((form) => form !== `${given.kind}+${url.protocol.slice(0, -1)}`)
  const found = await Promise.all(
    others.map(async (form) => {
      const [kind, scheme] = form.split('+')
      const other = new URL(`${scheme}://${url.hostname}:${port}${kind === 'rpc' ? url.pathname : '/'}`)
      const speaks = kind === 'rpc' ? speaksJsonRpc(other, clock, limited) : speaksGrpc(other, limited)
      return (await speaks) ? form : undefined
    }),
  )
  done.abort()
  return found.find((form) => form !== undefined)
}

async function speaksJsonRpc(url: URL, clock: Clock, signal: AbortSignal): Promise<boolean> {
  try {
    await createRpcClient({ url, token: undefined, clock }).call('getHealth', [], signal)
    return true
  } catch (error) {
    return error instanceof RpcError
  }
}

async function speaksGrpc(url: URL, signal: AbortSignal): Promise<boolean> {
  // TLS knows servers by their names, and the library complains of an address that has none.
  if (url.protocol === 'https:' && isIP(url.hostname)) return false
  const { answersGrpc } = await import('../yellowstone/answers-grpc.ts')
  return answersGrpc(url, signal)
}
