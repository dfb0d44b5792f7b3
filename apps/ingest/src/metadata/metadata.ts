import { setMaxListeners } from 'node:events'
import type { Clock } from '@pairwire/basics'
import { type MetadataState, type PairUpdateMessage, QUOTE_MINTS } from '@pairwire/contract'
import type { OwnPages, PublicFetch } from '@pairwire/public-fetch'
import type { NewPairEvent } from '../enrich/facts.ts'
import type { RpcClient } from '../sources/rpc/rpc-client.ts'
import type { KnownToken } from '../tokens/known-token.ts'
import type { Moment } from '../tokens/tell-token.ts'
import type { TokenMemory } from '../tokens/token-memory.ts'
import { createLatePairs } from './late-pairs.ts'
import { createPageReader } from './page-reader.ts'
import { type Reason, TokenLookup } from './token-lookup.ts'

/** What {@link Metadata} needs. */
export type MetadataParts = Readonly<{
  tokens: TokenMemory
  clock: Clock
  /** Undefined if there is no chain to ask. */
  rpc?: Pick<RpcClient, 'call'> | undefined
  /** Reads the pages of tokens; undefined to read none. */
  fetchPage?: PublicFetch | undefined
  own?: OwnPages | undefined
  tell(update: PairUpdateMessage): void
}>

/** Recently seen mints that are remembered; forgotten ones are looked up again. */
const MAX_SEEN = 200_000

/** The same for requested mints: anyone can ask for a mint that no chain knows. */
const MAX_ASKED = 20_000

/** Share of them forgotten at a time: removing one from the front costs as much as removing many. */
const FORGOTTEN_SHARE = 0.1

/** Mints retried per slot, so that the slot is not late. */
const BACK_AT_A_TIME = 1_000

/** Milliseconds that a token is left alone after a failed lookup. */
const LEFT_ALONE_MS = 10 * 60_000

/**
 * Looks up names of tokens that are paired, traded or asked for, off the path of events:
 *
 *     pair, trade, question -> not seen lately -> memory has no name ---> chain's accounts --+
 *                                                 memory has no page ---> page of the token <-+
 *                                                      ^                       |
 *                                                      +-- what was learnt ----+--> pairs of the last minute are told
 */
export class Metadata {
  readonly #tokens: TokenMemory
  readonly #clock: Clock
  readonly #abort = new AbortController()
  readonly #lookup: TokenLookup | undefined
  readonly #pages: ReturnType<typeof createPageReader> | undefined
  readonly #late: ReturnType<typeof createLatePairs>
  readonly #seen = new Set<string>(QUOTE_MINTS)
  /** Separate from those seen: a token may be asked for long before it trades. */
  readonly #asked = new Set<string>()
  /** Mints to look up again, oldest first. */
  readonly #leftAlone: { mint: string; until: number }[] = []
  #newest: Moment = { run: 0, slot: 0, transactionIndex: 0 }

  constructor({ tokens, clock, rpc, fetchPage, own, tell }: MetadataParts) {
    const { signal } = this.#abort
    // Every wait and request listens to it.
    setMaxListeners(0, signal)
    const onGivenUp = (mint: string) => this.#leaveAlone(mint)
    this.#tokens = tokens
    tokens.onNewPage = (mint) => void this.#seen.delete(mint)
    this.#clock = clock
    this.#late = createLatePairs(clock.elapsed, tell)
    if (rpc) {
      this.#lookup = new TokenLookup({
        ...{ rpc, tokens, clock, signal, onGivenUp },
        moment: () => this.#newest,
        onLearnt: (mint, isNamed) => {
          if (!isNamed) this.#leaveAlone(mint)
          this.#learnt(mint)
        },
      })
    }
    if (!fetchPage) return
    this.#pages = createPageReader({
      ...{ fetchPage, clock, signal, own, onGivenUp },
      onRead: (mint, uri, page) => {
        const { name = null, symbol = null, logo = null, socials = null } = page ?? {}
        tokens.describe(mint, uri, { logo, socials }, { name, symbol })
        // If the token has another page by now, that one is read next.
        this.#learnt(mint)
      },
    })
  }

  /** Records a pair as it is published. */
  sawPair(event: NewPairEvent, at: Moment): void {
    this.#newest = at
    this.#comeBack()
    this.#late.track(event)
    const { baseToken, quoteToken } = event.params.pair
    this.#see(baseToken.account, 'pair')
    this.#see(quoteToken.account, 'pair')
  }

  /** Records a trade of a token. */
  sawTrade(mint: string, at: Moment): void {
    if (at.slot !== this.#newest.slot) this.#comeBack()
    this.#newest = at
    this.#see(mint, 'trade')
  }

  /** Records a request for a token's name. */
  sawQuestion(mint: string): void {
    if (!this.#seen.has(mint)) this.#see(mint, 'question', this.#asked, MAX_ASKED)
  }

  stats(): MetadataState {
    const { reading = 0, waiting = 0 } = this.#pages?.size() ?? {}
    return {
      ...this.#late.shares(),
      mintsWaiting: this.#lookup?.waiting ?? 0,
      pagesReading: reading,
      pagesWaiting: waiting,
      trouble: this.#lookup?.trouble ?? null,
    }
  }

  /** Cancels everything in progress. */
  stop(): void {
    this.#abort.abort()
  }

  #see(mint: string, reason: Reason, seen = this.#seen, most = MAX_SEEN): void {
    if (seen.has(mint)) return
    seen.add(mint)
    if (seen.size > most) forgetOldest(seen, most)
    this.#lookAt(mint, reason)
  }

  #lookAt(mint: string, reason: Reason): void {
    const token = this.#tokens.find(mint)
    if (!token || token.name === null || token.symbol === null) this.#lookup?.ask(mint, reason)
    if (token) this.#wantPage(token, reason === 'pair')
  }

  /** Sends updates, and continues with the page if it is unread. */
  #learnt(mint: string): void {
    const token = this.#tokens.find(mint)
    if (!token) return
    this.#late.update(token)
    this.#wantPage(token, this.#late.follows(mint))
    void this.#tokens.settle()
  }

  #wantPage({ mint, uri, description }: KnownToken, isUrgent: boolean): void {
    if (uri !== null && description === null) this.#pages?.want(mint, uri, isUrgent)
  }

  #leaveAlone(mint: string): void {
    this.#leftAlone.push({ mint, until: this.#clock.elapsed() + LEFT_ALONE_MS })
    if (this.#leftAlone.length > MAX_SEEN) this.#lookAgain(MAX_SEEN * FORGOTTEN_SHARE)
  }

  #comeBack(): void {
    const now = this.#clock.elapsed()
    let count = 0
    while (count < BACK_AT_A_TIME && (this.#leftAlone[count]?.until ?? Number.POSITIVE_INFINITY) <= now)
      count++
    if (count > 0) this.#lookAgain(count)
  }

  /** Retries the oldest of those left alone. */
  #lookAgain(count: number): void {
    for (const { mint } of this.#leftAlone.splice(0, count)) {
      this.#seen.delete(mint)
      this.#asked.delete(mint)
    }
  }
}

function forgetOldest(mints: Set<string>, most: number): void {
  for (const mint of mints) {
    if (mints.size <= most * (1 - FORGOTTEN_SHARE)) break
    if (!QUOTE_MINTS.includes(mint)) mints.delete(mint)
  }
}
