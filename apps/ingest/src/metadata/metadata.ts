import { setMaxListeners } from 'node:events'
import type { Clock } from '@pairwire/basics'
import { type MetadataState, type PairUpdateMessage, QUOTE_MINTS } from '@pairwire/contract'
import type { OwnPages, PublicFetch } from '@pairwire/public-fetch'
import type { RpcClient } from '../sources/rpc/rpc-client.ts'
import type { Moment } from '../tokens/tell-token.ts'
import type { TokenMemory } from '../tokens/token-memory.ts'
import { createLatePairs, type NewPairEvent } from './late-pairs.ts'
import { createPageReader } from './page-reader.ts'
import { createTokenLookup, type Reason } from './token-lookup.ts'

/**
 * Looks up names of tokens that are paired, traded or asked for, off the path of events:
 *
 *     pair, trade, question -> not seen lately -> memory has no name ---> chain's accounts --+
 *                                                 memory has no page ---> page of the token <-+
 *                                                      ^                       |
 *                                                      +-- what was learnt ----+--> pairs of the last minute are told
 */
export type Metadata = Readonly<{
  /** Records a pair as it is published. */
  sawPair(event: NewPairEvent, at: Moment): void
  /** Records a trade of a token. */
  sawTrade(mint: string, at: Moment): void
  /** Records a request for a token's name. */
  sawQuestion(mint: string): void
  stats(): MetadataState
  /** Cancels everything in progress. */
  stop(): void
}>

/** What {@link createMetadata} needs. */
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

/** Creates it. */
export function createMetadata({ tokens, clock, rpc, fetchPage, own, tell }: MetadataParts): Metadata {
  const abort = new AbortController()
  const { signal } = abort
  // Every wait and request listens to it.
  setMaxListeners(0, signal)
  const seen = new Set<string>(QUOTE_MINTS)
  /** Separate from those seen: a token may be asked for long before it trades. */
  const asked = new Set<string>()
  /** Mints to look up again, oldest first. */
  const leftAlone: { mint: string; until: number }[] = []
  const late = createLatePairs(clock.elapsed, tell)
  let newest: Moment = { run: 0, slot: 0, transactionIndex: 0 }

  const leaveAlone = (mint: string) => {
    leftAlone.push({ mint, until: clock.elapsed() + LEFT_ALONE_MS })
    if (leftAlone.length > MAX_SEEN) lookAgain(MAX_SEEN * FORGOTTEN_SHARE)
  }

  /** Retries the oldest of those left alone. */
  const lookAgain = (count: number) => {
    for (const { mint } of leftAlone.splice(0, count)) {
      seen.delete(mint)
      asked.delete(mint)
    }
  }

  const comeBack = () => {
    const now = clock.elapsed()
    let count = 0
    while (count < BACK_AT_A_TIME && count < leftAlone.length && leftAlone[count]!.until <= now) count++
    if (count > 0) lookAgain(count)
  }

  const lookup =
    rpc &&
    createTokenLookup({
      ...{ rpc, tokens, clock, signal, onGivenUp: leaveAlone },
      moment: () => newest,
      onLearnt: (mint, isNamed) => {
        if (!isNamed) leaveAlone(mint)
        learnt(mint)
      },
    })

  const pages =
    fetchPage &&
    createPageReader({
      ...{ fetchPage, clock, signal, own, onGivenUp: leaveAlone },
      onRead: (mint, uri, page) => {
        const { name = null, symbol = null, logo = null, socials = null } = page ?? {}
        if (tokens.describe(mint, uri, { logo, socials }, { name, symbol })) learnt(mint)
      },
    })

  /** Sends updates, and continues with the page if it is unread. */
  const learnt = (mint: string) => {
    const token = tokens.find(mint)
    if (!token) return
    late.update(token)
    if (token.uri !== null && token.description === null) pages?.want(mint, token.uri, late.follows(mint))
    void tokens.settle()
  }

  const see = (mint: string, reason: Reason) => {
    if (seen.has(mint)) return
    seen.add(mint)
    if (seen.size > MAX_SEEN) forgetOldest(seen, MAX_SEEN)
    lookAt(mint, reason)
  }

  const lookAt = (mint: string, reason: Reason) => {
    const token = tokens.find(mint)
    if (!token || token.name === null || token.symbol === null) lookup?.ask(mint, reason)
    if (token && token.uri !== null && token.description === null) {
      pages?.want(mint, token.uri, reason === 'pair')
    }
  }

  const forgetOldest = (mints: Set<string>, most: number) => {
    for (const mint of mints) {
      if (mints.size <= most * (1 - FORGOTTEN_SHARE)) break
      if (!QUOTE_MINTS.includes(mint)) mints.delete(mint)
    }
  }

  return {
    sawPair(event, at) {
      newest = at
      comeBack()
      late.track(event)
      const { baseToken, quoteToken } = event.params.pair
      see(baseToken.account, 'pair')
      see(quoteToken.account, 'pair')
    },
    sawTrade(mint, at) {
      if (at.slot !== newest.slot) comeBack()
      newest = at
      see(mint, 'trade')
    },
    sawQuestion(mint) {
      if (seen.has(mint) || asked.has(mint)) return
      asked.add(mint)
      if (asked.size > MAX_ASKED) forgetOldest(asked, MAX_ASKED)
      lookAt(mint, 'question')
    },
    stats() {
      const { reading = 0, waiting = 0 } = pages?.size() ?? {}
      return {
        ...late.shares(),
        mintsWaiting: lookup?.waiting() ?? 0,
        pagesReading: reading,
        pagesWaiting: waiting,
        trouble: lookup?.trouble() ?? null,
      }
    },
    stop: () => abort.abort(),
  }
}
