import { createHash } from 'node:crypto'
import { BoundedMap, createFairQueue } from '@pairwire/basics'
import { type OwnPages, type PublicFetch, readFileUrl } from '@pairwire/public-fetch'
import type { LogoFolder } from './logo-folder.ts'

/** Small pictures made from strangers' files. */
export type Logos = Readonly<{
  /** A WebP of 64 pixels; undefined if none is available now. */
  get(url: string): Promise<Buffer | undefined>
}>

/** Milliseconds for which a failed logo is not tried again. */
export const FAILED_FOR_MS = 10_000

const FAILURES_KEPT = 10_000

/**
 * Fetches in flight, waiting fetches, and the rate of new ones: a burst as large as a page that was just opened, and some per
 * second after that. Beyond it an address gets no logo for now.
 */
const AT_A_TIME = 8
const WAITING = 100
const NEW_AT_ONCE = 100
const NEW_PER_SECOND = 20

/** Pictures decoded at a time. */
const DRAWN_AT_A_TIME = 2

/** Puts the parts together: one fetch for all requests for the same logo, failures remembered, everything bounded. */
export function createLogos({
  fetchPicture,
  redraw,
  folder,
  elapsed,
  own,
}: {
  fetchPicture: PublicFetch
  redraw: (picture: Buffer) => Promise<Buffer>
  folder: LogoFolder
  /** Milliseconds since any fixed moment; never steps back. */
  elapsed: () => number
  own?: OwnPages | undefined
}): Logos {
  const underWay = new Map<string, Promise<Buffer | undefined>>()
  /** When each may be tried again. */
  const failed = new BoundedMap<string, number>(FAILURES_KEPT)
  const fetching = createFairQueue(AT_A_TIME)
  const drawing = createFairQueue(DRAWN_AT_A_TIME)
  /** Fetches in flight or waiting. */
  let fetches = 0
  let left = NEW_AT_ONCE
  let lookedAt = elapsed()

  const mayBegin = () => {
    const now = elapsed()
    left = Math.min(left + ((now - lookedAt) / 1_000) * NEW_PER_SECOND, NEW_AT_ONCE)
    lookedAt = now
    if (left < 1) return false
    left--
    return true
  }

  const make = async (name: string, url: URL): Promise<Buffer | undefined> => {
    const kept = await folder.read(name)
    if (kept) return kept
    if (!mayBegin() || fetches >= AT_A_TIME + WAITING) return undefined
    fetches++
    try {
      const picture = await fetching(EVERYBODY, () => fetchPicture(url)).finally(() => fetches--)
      const logo = await drawing(EVERYBODY, () => redraw(picture))
      await folder.write(name, logo)
      return logo
    } catch {
      failed.set(name, elapsed() + FAILED_FOR_MS)
      return undefined
    }
  }

  return {
    async get(text) {
      const url = readFileUrl(text, own)
      if (!url) return undefined
      const name = createHash('sha256').update(url.href).digest('hex')
      if ((failed.get(name) ?? 0) > elapsed()) return undefined

      const present = underWay.get(name)
      if (present) return present
      const made = make(name, url).finally(() => underWay.delete(name))
      underWay.set(name, made)
      return made
    },
  }
}

/** A picture is of no single account. */
const EVERYBODY = ''
