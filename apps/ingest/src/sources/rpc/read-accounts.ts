import { FeedError } from '../chain/feed.ts'

/** An account of the chain: its owner program in base58, and its bytes. */
export type Account = Readonly<{ owner: string; data: Uint8Array }>

/**
 * Reads the result of `getMultipleAccounts` in base64: its slot, and each account in the order of the request,
 * undefined if missing.
 *
 * @throws FeedError when it does not answer the request
 */
export function readAccounts(
  result: unknown,
): Readonly<{ slot: number; accounts: readonly (Account | undefined)[] }> {
  const { value, context } = (result ?? {}) as { value?: unknown; context?: { slot?: unknown } | null }
  if (!Array.isArray(value))
    throw new FeedError('unusable', 'The RPC did not answer with a list of accounts.')
  const slot = typeof context?.slot === 'number' ? context.slot : 0
  return { slot, accounts: value.map(readAccount) }
}

function readAccount(account: unknown): Account | undefined {
  const { owner, data } = (account ?? {}) as { owner?: unknown; data?: unknown }
  const [text, encoding] = Array.isArray(data) ? data : []
  if (typeof owner !== 'string' || typeof text !== 'string' || encoding !== 'base64') return undefined
  return { owner, data: Buffer.from(text, 'base64') }
}
