import type { Clock } from '@pairwire/basics'
import { decodeBase58 } from '@pairwire/contract'
import { type MetadataState, type MintState, readMetadataState, readMintState } from '@pairwire/decoders'
import { FeedError } from '../sources/chain/feed.ts'
import { type Account, readAccounts } from '../sources/rpc/read-accounts.ts'
import { type RpcClient, RpcError } from '../sources/rpc/rpc-client.ts'
import type { ChainToken } from '../tokens/tell-token.ts'

/** What {@link readChainTokens} asks with. */
export type TokenQuestion = Readonly<{ rpc: Pick<RpcClient, 'call'>; clock: Clock; signal: AbortSignal }>

/** Bytes requested of an account: strangers make theirs megabytes long, and the texts come first. */
const ACCOUNT_BYTES = 2_048
/** Accounts read per turn, each of which may cost a derived address. */
const READ_AT_A_STRETCH = 8
/** Milliseconds between two requests: public endpoints allow forty in 10 s, and a lookup takes two. */
export const PAUSE_MS = 600
/** Milliseconds to wait for an endpoint that is behind the slot of the request. */
export const BEHIND_MS = 30_000
/** The endpoint has not reached the slot of the request. */
export const TOO_EARLY = -32016

/**
 * Reads tokens from the chain's own accounts, as of `slot`: `atLeast`, or a later one. The tokens are in the order of the
 * mints; undefined for a mint that the chain does not have.
 *
 * @throws FeedError, RpcError when there is no answer
 */
export async function readChainTokens(
  mints: readonly string[],
  atLeast: number,
  question: TokenQuestion,
): Promise<Readonly<{ slot: number; tokens: readonly (ChainToken | undefined)[] }>> {
  const { clock, signal } = question
  const { slot, accounts } = await getAccountsAt(mints, atLeast, question)
  const states: (MintState | undefined)[] = []
  for (const [at, mint] of mints.entries()) {
    if (at % READ_AT_A_STRETCH === READ_AT_A_STRETCH - 1) await clock.wait(0, signal)
    states.push(readMint(mint, accounts[at]))
  }
  const elsewhere = states.flatMap((state) => state?.metadataAccount ?? [])
  const kept = elsewhere.length > 0 ? (await getAccountsAt(elsewhere, atLeast, question)).accounts : []
  const metadata = new Map(elsewhere.map((account, at) => [account, readMetadata(kept[at])]))
  return { slot, tokens: states.map((state, at) => state && tokenOf(mints[at]!, state, metadata)) }
}

/** Waits for an endpoint that is behind until it has reached the slot. @throws RpcError if it stays behind */
async function getAccountsAt(addresses: readonly string[], slot: number, question: TokenQuestion) {
  const { clock, signal } = question
  for (const until = clock.elapsed() + BEHIND_MS; ; ) {
    try {
      return await getAccounts(addresses, slot, question)
    } catch (error) {
      const isBehind = error instanceof RpcError && error.code === TOO_EARLY
      if (!isBehind || clock.elapsed() >= until) throw error
      await clock.wait(PAUSE_MS, signal)
      signal.throwIfAborted()
    }
  }
}

async function getAccounts(addresses: readonly string[], slot: number, { rpc, signal }: TokenQuestion) {
  const config = {
    encoding: 'base64',
    commitment: 'confirmed',
    dataSlice: { offset: 0, length: ACCOUNT_BYTES },
    ...(slot > 0 && { minContextSlot: slot }),
  }
  const answer = readAccounts(await rpc.call('getMultipleAccounts', [addresses, config], signal))
  if (answer.accounts.length === addresses.length) return answer
  const sentence = 'The RPC answered with a different number of accounts than it was asked for.'
  throw new FeedError('unusable', sentence)
}

function tokenOf(
  mint: string,
  { metadataAccount, ...state }: MintState,
  kept: ReadonlyMap<string, MetadataState | undefined>,
): ChainToken {
  const found = metadataAccount === null ? undefined : kept.get(metadataAccount)
  // Anyone can point at the metadata of another token.
  const isOwn = found?.mint === mint
  const metadata = state.metadata ?? (isOwn ? found.metadata : undefined)
  return {
    ...state,
    mint,
    name: metadata?.name ?? null,
    symbol: metadata?.symbol ?? null,
    uri: metadata?.uri || null,
    metadataAccount: isOwn ? metadataAccount : null,
  }
}

function readMint(mint: string, account: Account | undefined): MintState | undefined {
  const key = decodeBase58(mint)
  return account && key && soundly(() => readMintState(key, account.owner, account.data))
}

function readMetadata(account: Account | undefined): MetadataState | undefined {
  return account && soundly(() => readMetadataState(account.owner, account.data))
}

/** Reads bytes; undefined if they are truncated. */
function soundly<Value>(read: () => Value | undefined): Value | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
