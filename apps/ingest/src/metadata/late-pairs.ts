import { type PairUpdateMessage, SOURCE_LIMITS } from '@pairwire/contract'
import { tokenOf } from '../enrich/event-params.ts'
import type { NewPairEvent } from '../enrich/facts.ts'
import type { KnownToken } from '../tokens/known-token.ts'

/** Pairs followed at a time; beyond that the oldest are dropped. */
const MAX_FOLLOWED = 20_000
/** Number of pairs in the shares. */
const COUNTED = 1_000

type Followed = {
  readonly event: NewPairEvent
  readonly at: number
  /** Milliseconds after the pair; null while unknown. */
  nameMs: number | null
  pictureMs: number | null
}

type Known = Pick<Followed, 'nameMs' | 'pictureMs'>

/**
 * Follows the pairs of the last minute, which are updated when a name or a picture arrives. `elapsed` is milliseconds since
 * some fixed moment.
 */
export function createLatePairs(elapsed: () => number, tell: (update: PairUpdateMessage) => void) {
  /** By number, which counts up: anyone can create pairs, and an array of thousands would move at each one dropped. */
  const followed = new Map<number, Followed>()
  let oldest = 0
  let next = 0
  /** Oldest first, of each token. */
  const ofMint = new Map<string, Set<Followed>>()
  const counted: Known[] = []

  const forgetOld = () => {
    const since = elapsed() - SOURCE_LIMITS.pairFollowedMs
    for (; oldest < next; oldest++) {
      const pair = followed.get(oldest)!
      if (pair.at >= since && followed.size <= MAX_FOLLOWED) break
      followed.delete(oldest)
      const mint = mintOf(pair)
      const ofToken = ofMint.get(mint)!
      ofToken.delete(pair)
      if (ofToken.size === 0) ofMint.delete(mint)
      counted.push({ nameMs: pair.nameMs, pictureMs: pair.pictureMs })
    }
    if (counted.length > COUNTED) counted.splice(0, counted.length - COUNTED)
  }

  return {
    /** Follows a pair as it was published. */
    track(event: NewPairEvent): void {
      forgetOld()
      const metadata = event.params.pair.baseToken.info?.metadata
      const pair: Followed = {
        event,
        at: elapsed(),
        nameMs: metadata ? 0 : null,
        pictureMs: metadata?.logo ? 0 : null,
      }
      followed.set(next++, pair)
      const mint = mintOf(pair)
      const others = ofMint.get(mint)
      if (others) others.add(pair)
      else ofMint.set(mint, new Set([pair]))
    },

    /** Sends updates for this token's pairs of what was unknown when they were sent. */
    update(token: KnownToken): void {
      forgetOld()
      for (const pair of ofMint.get(token.mint) ?? []) {
        const { cursor, params } = pair.event
        const baseToken = tokenOf(token)
        const metadata = baseToken.info?.metadata
        const isNamed = pair.nameMs === null && metadata !== null && metadata !== undefined
        const isPictured = pair.pictureMs === null && Boolean(metadata?.logo)
        const ms = elapsed() - pair.at
        if (isNamed) pair.nameMs = ms
        if (isPictured) pair.pictureMs = ms
        const isDescribed = params.pair.baseToken.info === null && baseToken.info !== null
        if (!isNamed && !isPictured && !isDescribed) continue
        const { ammAccount, sourceExchange, migration } = params.pair
        const creator = pair.event.facts?.creator
        tell({
          ...{ type: 'pairUpdate', cursor, sourceExchange, migration, creator },
          update: { ammAccount, baseToken },
        })
      }
    },

    /** Whether a pair of this token is followed. */
    follows: (mint: string) => ofMint.has(mint),

    /** Shares of the last pairs whose minute is over whose token was known in time; null before the first. */
    shares() {
      forgetOld()
      const within = (limitMs: number, ...members: (keyof Known)[]) => {
        if (counted.length === 0) return null
        const isKnown = (pair: Known) => members.every((member) => (pair[member] ?? Infinity) <= limitMs)
        return counted.filter(isKnown).length / counted.length
      }
      const minute = SOURCE_LIMITS.pairFollowedMs
      return {
        pairs: counted.length,
        nameWithin1s: within(1_000, 'nameMs'),
        nameWithin60s: within(minute, 'nameMs'),
        pictureWithin1s: within(1_000, 'pictureMs'),
        pictureWithin60s: within(minute, 'pictureMs'),
        bothWithin1s: within(1_000, 'nameMs', 'pictureMs'),
        bothWithin60s: within(minute, 'nameMs', 'pictureMs'),
      }
    },
  }
}

function mintOf({ event }: Followed): string {
  return event.params.pair.baseToken.account
}
