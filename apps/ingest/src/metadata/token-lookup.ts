import { decodeBase58 } from '@pairwire/contract'
import { type MetadataState, type MintState, readMetadataState, readMintState } from '@pairwire/decoders'
import type { Clock } from '@pairwire/process'
import { FeedError } from '../sources/chain/feed.ts'
import { type Account, readAccounts } from '../sources/rpc/read-accounts.ts'
import { type RpcClient, RpcError } from '../sources/rpc/rpc-client.ts'
import type { ChainToken, Moment, TokenMemory } from '../tokens/token-memory.ts'

/** Asks the chain what its own accounts say of tokens, many at once, and has it remembered. */
type TokenLookup = Readonly<{
  /** Asks for a mint; what is urgent goes before what is not, the newest first. */
  ask(mint: string, isUrgent: boolean): void
  /** Mints that wait. */
  waiting(): number
  /** Why the last question had no answer, in a sentence; null while there was one. */
  trouble(): string | null
}>

/** What {@link createTokenLookup} needs. */
type TokenLookupParts = Readonly<{
  rpc: Pick<RpcClient, 'call'>
  tokens: Pick<TokenMemory, 'expect' | 'learn'>
  clock: Clock
  signal: AbortSignal
  /** The newest place that was read of the chain. */
  moment(): Moment
  /** Told when the memory has it; whether it has a name too. */
  onLearnt(mint: string, isNamed: boolean): void
  /** The chain knows no such mint, or too many waited. */
  onGivenUp(mint: string): void
}>

/** Accounts in one question; what endpoints allow at most. */
const BATCH = 100
/** Milliseconds from one round to the next, which is of two questions at most. */
const PAUSE_MS = 500
/** Milliseconds of rest after a question without an answer: doubled each time up to the last. */
const FIRST_REST_MS = 1_000
const LAST_REST_MS = 30_000
/** Mints that wait, of each urgency; the oldest are given up. */
const MAX_WAITING = 5_000
/** Behind every transaction of its slot. */
const END_OF_SLOT = 999_999
/** The endpoint has not come to the slot that the question names. */
const TOO_EARLY = -32016

/** Makes a lookup, one round of questions at a time. */
export function createTokenLookup(parts: TokenLookupParts): TokenLookup {
  const { rpc, tokens, clock, signal, moment, onLearnt, onGivenUp } = parts
  const urgent: string[] = []
  const others: string[] = []
  let isAsking = false
  let restMs = FIRST_REST_MS
  let trouble: string | null = null

  const getAccounts = async (addresses: readonly string[], minContextSlot: number) => {
    const config = {
      encoding: 'base64',
      commitment: 'confirmed',
      ...(minContextSlot > 0 && { minContextSlot }),
    }
    return readAccounts(await rpc.call('getMultipleAccounts', [addresses, config], signal))
  }

  const askRound = async (mints: readonly string[]): Promise<void> => {
    const asked = moment()
    const isChain = asked.run === 0
    tokens.expect(mints)
    const { slot, accounts } = await getAccounts(mints, isChain ? asked.slot : 0)
    const states = mints.map((mint, at) => readMint(mint, accounts[at]))

    const elsewhere = states.flatMap((state) => state?.metadataAccount ?? [])
    const kept = elsewhere.length > 0 ? (await getAccounts(elsewhere, 0)).accounts : []
    const metadata = new Map(elsewhere.map((account, at) => [account, readMetadata(kept[at])]))
    // Of another chain's time, what is asked today stands where its stream is now.
    const at = isChain ? { ...asked, slot: Math.max(slot, asked.slot), transactionIndex: END_OF_SLOT } : asked
    for (const [index, mint] of mints.entries()) learn(mint, states[index], metadata, at)
  }

  const learn = (
    mint: string,
    state: MintState | undefined,
    kept: ReadonlyMap<string, MetadataState | undefined>,
    at: Moment,
  ): void => {
    if (state === undefined) {
      onGivenUp(mint)
      return
    }
    const { metadataAccount, ...rest } = state
    const found = metadataAccount === null ? undefined : kept.get(metadataAccount)
    // Anyone can point at the metadata of another token.
    const metadata = state.metadata ?? (found?.mint === mint ? found.metadata : undefined)
    const token: ChainToken = {
      ...rest,
      mint,
      name: metadata?.name ?? null,
      symbol: metadata?.symbol ?? null,
      uri: metadata?.uri || null,
      metadataAccount: found?.mint === mint ? metadataAccount : null,
    }
    if (tokens.learn(token, at)) onLearnt(mint, metadata !== undefined)
    else add(urgent, mint)
  }

  const work = async (): Promise<void> => {
    isAsking = true
    while (!signal.aborted) {
      const mints = takeNewest()
      if (mints.length === 0) break
      await clock.wait(await roundOf(mints), signal)
    }
    isAsking = false
  }

  /** Milliseconds to rest after it. */
  const roundOf = async (mints: readonly string[]): Promise<number> => {
    try {
      await askRound(mints)
      trouble = null
      restMs = FIRST_REST_MS
      return PAUSE_MS
    } catch (error) {
      if (signal.aborted) return 0
      if (!(error instanceof FeedError || error instanceof RpcError)) throw error
      for (const mint of mints.toReversed()) add(urgent, mint)
      if (error instanceof RpcError && error.code === TOO_EARLY) return PAUSE_MS
      trouble = `Names of tokens cannot be looked up: ${error.message}`
      const rest = restMs
      restMs = Math.min(restMs * 2, LAST_REST_MS)
      return rest
    }
  }

  const takeNewest = (): string[] => {
    const mints = urgent.splice(-BATCH)
    if (mints.length < BATCH) mints.unshift(...others.splice(mints.length - BATCH))
    return mints.reverse()
  }

  const add = (mints: string[], mint: string) => {
    mints.push(mint)
    if (mints.length > MAX_WAITING) onGivenUp(mints.shift()!)
  }

  return {
    ask(mint, isUrgent) {
      add(isUrgent ? urgent : others, mint)
      if (!isAsking) void work()
    },
    waiting: () => urgent.length + others.length,
    trouble: () => trouble,
  }
}

function readMint(mint: string, account: Account | undefined): MintState | undefined {
  const key = decodeBase58(mint)
  return account && key && soundly(() => readMintState(key, account.owner, account.data))
}

function readMetadata(account: Account | undefined): MetadataState | undefined {
  return account && soundly(() => readMetadataState(account.owner, account.data))
}

/** Bytes that end too early are no account of theirs. */
function soundly<Value>(read: () => Value | undefined): Value | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
