import type { Clock } from '@pairwire/basics'
import { decodeBase58 } from '@pairwire/contract'
import { type MetadataState, type MintState, readMetadataState, readMintState } from '@pairwire/decoders'
import { FeedError } from '../sources/chain/feed.ts'
import { type Account, readAccounts } from '../sources/rpc/read-accounts.ts'
import { type RpcClient, RpcError } from '../sources/rpc/rpc-client.ts'
import type { ChainToken, Moment } from '../tokens/tell-token.ts'
import type { TokenMemory } from '../tokens/token-memory.ts'

/** Why a mint is looked up, in order of priority. */
const REASONS = ['pair', 'trade', 'question'] as const
/** One of {@link REASONS}. */
export type Reason = (typeof REASONS)[number]

/** Looks up tokens in the chain's own accounts, many at once, and stores the results. */
type TokenLookup = Readonly<{
  /** Requests a mint; for each reason the newest go first. */
  ask(mint: string, reason: Reason): void
  /** Number of waiting mints. */
  waiting(): number
  /** The error of the last request as a sentence; null if it succeeded. */
  trouble(): string | null
}>

/** What {@link createTokenLookup} needs. */
type TokenLookupParts = Readonly<{
  rpc: Pick<RpcClient, 'call'>
  tokens: Pick<TokenMemory, 'expect' | 'learn'>
  clock: Clock
  signal: AbortSignal
  /** The newest position read from the chain. */
  moment(): Moment
  /** Called when the memory has the token; whether it has a name too. */
  onLearnt(mint: string, isNamed: boolean): void
  /** Called when the chain has no such mint, or too many were waiting. */
  onGivenUp(mint: string): void
}>

/** Accounts in one request: the most that endpoints allow. Some allow fewer: see {@link createTokenLookup}. */
const BATCH = 100
/** Bytes requested of an account: strangers make theirs megabytes long, and the texts come first. */
const ACCOUNT_BYTES = 2_048
/** Accounts read per turn, each of which may cost a derived address. */
const READ_AT_A_STRETCH = 8
/** Milliseconds between rounds of two requests: public endpoints allow forty in 10 s. */
export const PAUSE_MS = 600
/** Milliseconds to wait for an endpoint that is behind the slot of the request. */
export const BEHIND_MS = 30_000
/** Milliseconds to rest after a failed request: doubled each time up to the maximum. */
const FIRST_REST_MS = 1_000
const LAST_REST_MS = 30_000
/** Waiting mints for each reason; beyond that the oldest are given up. */
const MAX_WAITING: Readonly<Record<Reason, number>> = { pair: 5_000, trade: 5_000, question: 1_000 }
/** After every transaction of its slot. */
const END_OF_SLOT = 999_999
/** The endpoint has not reached the slot of the request. */
const TOO_EARLY = -32016

type Waiting = Readonly<{ mint: string; reason: Reason }>

/**
 * Creates a lookup, with one round of requests at a time. A refused request is repeated with half as many accounts, and
 * each full one that succeeds lets the next have one more, so that every endpoint gets as many as it accepts.
 */
export function createTokenLookup(parts: TokenLookupParts): TokenLookup {
  const { rpc, tokens, clock, signal, moment, onLearnt, onGivenUp } = parts
  const waiting: Record<Reason, string[]> = { pair: [], trade: [], question: [] }
  let isAsking = false
  let most = BATCH
  let restMs = FIRST_REST_MS
  let trouble: string | null = null

  const getAccounts = async (addresses: readonly string[], minContextSlot: number) => {
    const config = {
      encoding: 'base64',
      commitment: 'confirmed',
      dataSlice: { offset: 0, length: ACCOUNT_BYTES },
      ...(minContextSlot > 0 && { minContextSlot }),
    }
    const answer = readAccounts(await rpc.call('getMultipleAccounts', [addresses, config], signal))
    if (answer.accounts.length === addresses.length) return answer
    throw new FeedError(
      'unusable',
      'The RPC answered with a different number of accounts than it was asked for.',
    )
  }

  /** Reads from an endpoint that is behind once it has reached the slot: one that stays behind does so too. */
  const getAccountsAt = async (addresses: readonly string[], slot: number) => {
    for (const until = clock.elapsed() + BEHIND_MS; ; ) {
      try {
        return await getAccounts(addresses, slot)
      } catch (error) {
        const isBehind = error instanceof RpcError && error.code === TOO_EARLY
        if (!isBehind || clock.elapsed() >= until) throw error
        await clock.wait(PAUSE_MS, signal)
        signal.throwIfAborted()
      }
    }
  }

  const askRound = async (asked: readonly Waiting[]): Promise<void> => {
    const mints = asked.map(({ mint }) => mint)
    const now = moment()
    const isChain = now.run === 0
    tokens.expect(mints)
    const atLeast = isChain ? now.slot : 0
    const { slot, accounts } = await getAccountsAt(mints, atLeast)
    const states: (MintState | undefined)[] = []
    for (const [at, mint] of mints.entries()) {
      if (at % READ_AT_A_STRETCH === READ_AT_A_STRETCH - 1) await clock.wait(0, signal)
      states.push(readMint(mint, accounts[at]))
    }

    const elsewhere = states.flatMap((state) => state?.metadataAccount ?? [])
    const kept = elsewhere.length > 0 ? (await getAccountsAt(elsewhere, atLeast)).accounts : []
    const metadata = new Map(elsewhere.map((account, at) => [account, readMetadata(kept[at])]))
    // In a stream from another time, today's state belongs to the newest position.
    const at = isChain ? { ...now, slot: Math.max(slot, now.slot), transactionIndex: END_OF_SLOT } : now
    for (const [index, each] of asked.entries()) {
      if (index % READ_AT_A_STRETCH === READ_AT_A_STRETCH - 1) await clock.wait(0, signal)
      learn(each, states[index], metadata, at)
    }
  }

  const learn = (
    { mint, reason }: Waiting,
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
    else add({ mint, reason })
  }

  const work = async (): Promise<void> => {
    isAsking = true
    while (!signal.aborted) {
      const asked = takeNewest()
      if (asked.length === 0) break
      await clock.wait(await roundOf(asked), signal)
    }
    isAsking = false
  }

  /** Runs a round; returns the milliseconds to rest after it. */
  const roundOf = async (asked: readonly Waiting[]): Promise<number> => {
    try {
      await askRound(asked)
      trouble = null
      restMs = FIRST_REST_MS
      if (asked.length >= most) most = Math.min(most + 1, BATCH)
      return PAUSE_MS
    } catch (error) {
      if (signal.aborted) return 0
      if (!(error instanceof FeedError || error instanceof RpcError)) throw error
      for (const each of asked.toReversed()) add(each)
      if (asked.length > 1 && isRefusal(error)) {
        most = Math.floor(asked.length / 2)
        return PAUSE_MS
      }
      trouble = `Names of tokens cannot be looked up: ${error.message}`
      const rest = restMs
      restMs = Math.min(restMs * 2, LAST_REST_MS)
      return rest
    }
  }

  const takeNewest = (): Waiting[] => {
    const taken: Waiting[] = []
    for (const reason of REASONS) {
      const room = most - taken.length
      if (room === 0) break
      for (const mint of waiting[reason].splice(-room).reverse()) taken.push({ mint, reason })
    }
    return taken
  }

  const add = ({ mint, reason }: Waiting) => {
    const mints = waiting[reason]
    mints.push(mint)
    if (mints.length > MAX_WAITING[reason]) onGivenUp(mints.shift()!)
  }

  return {
    ask(mint, reason) {
      add({ mint, reason })
      if (!isAsking) void work()
    },
    waiting: () => REASONS.reduce((sum, reason) => sum + waiting[reason].length, 0),
    trouble: () => trouble,
  }
}

/** The endpoint answered, and may accept a smaller request. */
function isRefusal(error: FeedError | RpcError): boolean {
  return error instanceof RpcError ? error.code !== TOO_EARLY : error.kind === 'broken'
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
