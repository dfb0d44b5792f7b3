import type { NotificationEvent, PairUpdateMessage } from '@pairwire/contract'
import { tokenOf } from '../enrich/event-params.ts'
import type { KnownToken } from '../tokens/known-token.ts'

/** Pairs of the last minute: who waits for a name or a picture is told when it comes. */
export type LatePairs = Readonly<{
  /** Notes a pair as it was published. */
  track(event: NewPairEvent): void
  /** What of the pairs of this token was not known when they were sent is told. */
  update(token: KnownToken): void
  /** Whether a pair of this token is followed. */
  follows(mint: string): boolean
  /** Of the last pairs whose minute is over; null before the first. */
  shares(): MetadataShares
}>

/** The event of a new pair. */
export type NewPairEvent = NotificationEvent & Readonly<{ kind: 'newPair' }>

/** Shares of pairs, from 0 to 1, whose token had a name, and whose token had a picture too, so soon after the pair. */
export type MetadataShares = Readonly<{
  /** How many pairs they are of. */
  pairs: number
  nameWithin1s: number | null
  nameWithin60s: number | null
  pictureWithin1s: number | null
  pictureWithin60s: number | null
}>

/** Milliseconds for which a pair is followed. */
export const FOLLOWED_MS = 60_000
/** Pairs that are followed at a time; the oldest are followed no more. */
const MAX_FOLLOWED = 20_000
/** Pairs of which the shares are. */
const COUNTED = 1_000

type Followed = {
  readonly event: NewPairEvent
  readonly at: number
  /** Milliseconds after the pair; null while it is not known. */
  nameMs: number | null
  pictureMs: number | null
}

/** Makes them. `elapsed` is milliseconds since any fixed moment. */
export function createLatePairs(elapsed: () => number, tell: (update: PairUpdateMessage) => void): LatePairs {
  /** Oldest first. */
  const followed: Followed[] = []
  const ofMint = new Map<string, Followed[]>()
  const counted: Pick<Followed, 'nameMs' | 'pictureMs'>[] = []

  const forgetOld = () => {
    const since = elapsed() - FOLLOWED_MS
    let count = 0
    while (count < followed.length && (followed[count]!.at < since || followed.length - count > MAX_FOLLOWED))
      count++
    for (const pair of followed.splice(0, count)) {
      const mint = mintOf(pair)
      const others = ofMint.get(mint)!.filter((other) => other !== pair)
      if (others.length > 0) ofMint.set(mint, others)
      else ofMint.delete(mint)
      counted.push({ nameMs: pair.nameMs, pictureMs: pair.pictureMs })
    }
    if (counted.length > COUNTED) counted.splice(0, counted.length - COUNTED)
  }

  return {
    track(event) {
      forgetOld()
      const metadata = event.params.pair.baseToken.info?.metadata
      const pair: Followed = {
        event,
        at: elapsed(),
        nameMs: metadata ? 0 : null,
        pictureMs: metadata?.logo ? 0 : null,
      }
      followed.push(pair)
      const mint = mintOf(pair)
      const others = ofMint.get(mint)
      if (others) others.push(pair)
      else ofMint.set(mint, [pair])
    },

    update(token) {
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
        const { ammAccount, sourceExchange } = params.pair
        tell({ type: 'pairUpdate', cursor, sourceExchange, update: { ammAccount, baseToken } })
      }
    },

    follows: (mint) => ofMint.has(mint),

    shares() {
      forgetOld()
      const share = (of: 'nameMs' | 'pictureMs', withinMs: number) =>
        counted.length === 0
          ? null
          : counted.filter((pair) => pair[of] !== null && pair[of] <= withinMs).length / counted.length
      return {
        pairs: counted.length,
        nameWithin1s: share('nameMs', 1_000),
        nameWithin60s: share('nameMs', FOLLOWED_MS),
        pictureWithin1s: share('pictureMs', 1_000),
        pictureWithin60s: share('pictureMs', FOLLOWED_MS),
      }
    },
  }
}

function mintOf({ event }: Followed): string {
  return event.params.pair.baseToken.account
}
