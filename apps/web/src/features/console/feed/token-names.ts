import { BoundedMap } from '@pairwire/basics/bounded-map'
import { builtInFace, joinFaces, type TokenFace } from './token-face.ts'

/** What {@link createTokenNames} needs. */
export type TokenNamesParts = Readonly<{
  /** Requests names from the server, which omits unknown ones. @throws when that is not possible now */
  ask: (mints: readonly string[]) => Promise<readonly TokenFace[]>
  /** Called with what the server knew. */
  told: (faces: readonly TokenFace[]) => void
  after: (ms: number, act: () => void) => void
  /** What was known at the end of the last visit: most tokens trading now traded then. */
  remembered?: readonly TokenFace[] | undefined
}>

/** Mints per request; the newest ones, since those are visible. */
export const MINTS_PER_QUESTION = 50
/** Milliseconds in which rows' mints are collected into a request after a rest, and between two requests. */
export const GATHER_MS = 100
export const REST_MS = 1_000
/**
 * Milliseconds before a mint that the server did not know fully is requested again, since it is looking it up; after
 * the last, only mints that are shown again are requested.
 */
export const ASK_AGAIN_MS = [2_000, 4_000, 8_000, 8_000, 8_000, 64_000] as const
/** Tokens remembered; the one learned or requested longest ago is dropped. */
const MOST_KEPT = 4_000
/** Tokens that the next visit begins with. */
export const REMEMBERED = 200

/** Result of {@link createTokenNames}. */
export type TokenNames = ReturnType<typeof createTokenNames>

/** The token faces that the page knows: built in, from pairs, and from the server. */
export function createTokenNames({ ask, told, after, remembered = [] }: TokenNamesParts) {
  const known = new BoundedMap<string, TokenFace>(MOST_KEPT)
  for (const face of remembered) known.set(face.mint, face)
  /** How often each was requested, and those that are left alone now. */
  const questions = new BoundedMap<string, number>(MOST_KEPT)
  const resting = new Set<string>()
  const wanted = new Set<string>()
  const listeners = new Set<() => void>()
  let isAsking = false

  /** Learns from the stream. */
  const learn = (faces: readonly TokenFace[]): void => {
    let isNews = false
    for (const face of faces) {
      const before = known.get(face.mint)
      const joined = joinFaces(face, before)
      const isSame = before !== undefined && isSameFace(joined, before)
      isNews ||= !isSame
      known.set(face.mint, isSame ? before : joined)
    }
    // Busy tokens are named all the time: rows are redrawn only for news.
    if (isNews) for (const listener of [...listeners]) listener()
  }

  /** Requests a shown mint, unless it is known or was requested recently. */
  const want = (mint: string): void => {
    if (mint === '' || builtInFace(mint)) return
    const face = known.get(mint)
    if (face?.symbol && face.logo) return
    if (resting.has(mint)) return
    wanted.delete(mint)
    wanted.add(mint)
    if (wanted.size > MINTS_PER_QUESTION) wanted.delete(wanted.values().next().value!)
    if (!isAsking) gather()
  }

  const gather = () => {
    isAsking = wanted.size > 0
    if (isAsking) after(GATHER_MS, () => void askNow())
  }

  return {
    read: (mint: string): TokenFace | undefined => known.get(mint) ?? builtInFace(mint),
    learn,
    want,
    /** The last learned tokens, for the next visit. */
    newest: (): readonly TokenFace[] => [...known.values()].slice(-REMEMBERED),
    subscribe(onChange: () => void): () => void {
      listeners.add(onChange)
      return () => listeners.delete(onChange)
    },
  }

  async function askNow() {
    const mints = [...wanted]
    wanted.clear()
    for (const mint of mints) {
      const count = Math.min(questions.get(mint) ?? 0, ASK_AGAIN_MS.length - 1)
      questions.set(mint, count + 1)
      resting.add(mint)
      after(ASK_AGAIN_MS[count]!, () => {
        resting.delete(mint)
        // Held rows want nothing by themselves.
        if (count < ASK_AGAIN_MS.length - 1) want(mint)
      })
    }
    try {
      const faces = await ask(mints)
      learn(faces)
      told(faces)
    } catch {
      // Addresses suffice for now.
    }
    after(REST_MS, gather)
  }
}

function isSameFace(one: TokenFace, other: TokenFace): boolean {
  return one.symbol === other.symbol && one.name === other.name && one.logo === other.logo
}
