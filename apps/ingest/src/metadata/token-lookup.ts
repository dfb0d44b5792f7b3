import { FeedError } from '../sources/chain/feed.ts'
import { RpcError } from '../sources/rpc/rpc-client.ts'
import type { Moment } from '../tokens/tell-token.ts'
import type { TokenMemory } from '../tokens/token-memory.ts'
import { PAUSE_MS, readChainTokens, TOO_EARLY, type TokenQuestion } from './read-chain-tokens.ts'

/** Why a mint is looked up, in order of priority. */
const REASONS = ['pair', 'trade', 'question'] as const
/** One of {@link REASONS}. */
export type Reason = (typeof REASONS)[number]

/** What a {@link TokenLookup} needs. */
type TokenLookupParts = TokenQuestion &
  Readonly<{
    tokens: Pick<TokenMemory, 'expect' | 'learn'>
    /** The newest position read from the chain. */
    moment(): Moment
    /** Called when the memory has the token; whether it has a name too. */
    onLearnt(mint: string, isNamed: boolean): void
    /** Called when the chain has no such mint, or too many were waiting. */
    onGivenUp(mint: string): void
  }>

/** Accounts in one request: the most that endpoints allow. Some allow fewer: see {@link TokenLookup}. */
const BATCH = 100
/** Tokens learned per turn. */
const LEARN_AT_A_STRETCH = 8
/** Milliseconds to rest after a failed request: doubled each time up to the maximum. */
const FIRST_REST_MS = 1_000
const LAST_REST_MS = 30_000
/** Waiting mints for each reason; beyond that the oldest are given up. */
const MAX_WAITING: Readonly<Record<Reason, number>> = { pair: 5_000, trade: 5_000, question: 1_000 }
/** After every transaction of its slot. */
const END_OF_SLOT = 999_999

type Waiting = Readonly<{ mint: string; reason: Reason }>

/**
 * Looks up tokens in the chain's own accounts, many at once, and stores the results, one round of requests at a time. A
 * refused request is repeated with half as many accounts, and each full one that succeeds lets the next have one more, so
 * that every endpoint gets as many as it accepts.
 */
export class TokenLookup {
  readonly #parts: TokenLookupParts
  readonly #waiting: Record<Reason, string[]> = { pair: [], trade: [], question: [] }
  #isAsking = false
  #most = BATCH
  #restMs = FIRST_REST_MS
  /** The error of the last request as a sentence; null if it succeeded. */
  trouble: string | null = null

  constructor(parts: TokenLookupParts) {
    this.#parts = parts
  }

  /** Number of waiting mints. */
  get waiting(): number {
    return REASONS.reduce((sum, reason) => sum + this.#waiting[reason].length, 0)
  }

  /** Requests a mint; for each reason the newest go first. */
  ask(mint: string, reason: Reason): void {
    this.#add({ mint, reason })
    if (!this.#isAsking) void this.#work()
  }

  async #work(): Promise<void> {
    const { clock, signal } = this.#parts
    this.#isAsking = true
    while (!signal.aborted) {
      const asked = this.#takeNewest()
      if (asked.length === 0) break
      await clock.wait(await this.#roundOf(asked), signal)
    }
    this.#isAsking = false
  }

  /** Runs a round; returns the milliseconds to rest after it. */
  async #roundOf(asked: readonly Waiting[]): Promise<number> {
    try {
      await this.#askRound(asked)
      this.trouble = null
      this.#restMs = FIRST_REST_MS
      if (asked.length >= this.#most) this.#most = Math.min(this.#most + 1, BATCH)
      return PAUSE_MS
    } catch (error) {
      if (this.#parts.signal.aborted) return 0
      if (!(error instanceof FeedError || error instanceof RpcError)) throw error
      for (const each of asked.toReversed()) this.#add(each)
      if (asked.length > 1 && isRefusal(error)) {
        this.#most = Math.floor(asked.length / 2)
        return PAUSE_MS
      }
      this.trouble = `Names of tokens cannot be looked up: ${error.message}`
      const rest = this.#restMs
      this.#restMs = Math.min(rest * 2, LAST_REST_MS)
      return rest
    }
  }

  async #askRound(asked: readonly Waiting[]): Promise<void> {
    const { tokens, clock, signal, onLearnt, onGivenUp } = this.#parts
    const mints = asked.map(({ mint }) => mint)
    const now = this.#parts.moment()
    const isChain = now.run === 0
    tokens.expect(mints)
    const found = await readChainTokens(mints, isChain ? now.slot : 0, this.#parts)
    // In a stream from another time, today's state belongs to the newest position.
    const slot = Math.max(found.slot, now.slot)
    const at = isChain ? { ...now, slot, transactionIndex: END_OF_SLOT } : now
    for (const [index, each] of asked.entries()) {
      if (index % LEARN_AT_A_STRETCH === LEARN_AT_A_STRETCH - 1) await clock.wait(0, signal)
      const token = found.tokens[index]
      if (token === undefined) onGivenUp(each.mint)
      else if (tokens.learn(token, at)) onLearnt(each.mint, token.name !== null)
      else this.#add(each)
    }
  }

  #takeNewest(): readonly Waiting[] {
    const taken: Waiting[] = []
    for (const reason of REASONS) {
      const room = this.#most - taken.length
      if (room === 0) break
      for (const mint of this.#waiting[reason].splice(-room).reverse()) taken.push({ mint, reason })
    }
    return taken
  }

  #add({ mint, reason }: Waiting): void {
    const mints = this.#waiting[reason]
    mints.push(mint)
    if (mints.length > MAX_WAITING[reason]) this.#parts.onGivenUp(mints.shift()!)
  }
}

/** The endpoint answered, and may accept a smaller request. */
function isRefusal(error: FeedError | RpcError): boolean {
  return error instanceof RpcError ? error.code !== TOO_EARLY : error.kind === 'broken'
}
