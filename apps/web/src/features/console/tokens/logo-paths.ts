import { BoundedMap } from '@pairwire/basics/bounded-map'
import { api } from '../../../api/api.ts'
import { ApiError } from '../../../api/api-error.ts'

/** Milliseconds in which rows' requests are collected into a call after a rest, and between two calls. */
const GATHER_MS = 100
const REST_MS = 2_000

/** Logos per call, which is 25 a second, and waiting ones; those beyond keep their letter. */
const LOGOS_PER_CALL = 50
const MOST_WAITING = 100

/** Logos whose paths are remembered. */
const KEPT = 500

/** Longest address that is requested; the call's own limit. */
const LONGEST = 2_048

/** Addresses that the proxy may support; it decides itself which plain http ones it accepts. */
const ASKABLE = /^(https?|ipfs|ar):/

const known = new BoundedMap<string, Promise<string | undefined>>(KEPT)
const waiting: { url: string; resolve: (path: string | undefined) => void }[] = []
let isOff = false
let isAsking = false

/** Returns our proxy's path of a logo; `undefined` when there is none, or not now. */
export function logoPath(url: string): Promise<string | undefined> {
  const present = known.get(url)
  if (present) return present
  // The page's own.
  if (url.startsWith('/quote-')) return Promise.resolve(url)
  const isAskable = url.length <= LONGEST && ASKABLE.test(url)
  if (isOff || !isAskable || waiting.length >= MOST_WAITING) return NONE

  const path = new Promise<string | undefined>((resolve) => {
    if (!isAsking) setTimeout(ask, GATHER_MS)
    isAsking = true
    waiting.push({ url, resolve })
  })
  known.set(url, path)
  return path
}

const NONE = Promise.resolve(undefined)

async function ask(): Promise<void> {
  // The newest, since those are visible.
  const asking = waiting.splice(-LOGOS_PER_CALL)
  isAsking = asking.length > 0
  if (isAsking) setTimeout(ask, REST_MS)
  else return
  try {
    const paths = await api.logos(asking.map(({ url }) => url))
    for (const [index, { resolve }] of asking.entries()) resolve(paths[index] ?? undefined)
  } catch (error) {
    // A server without a proxy is not asked again; if it is busy, letters suffice for now.
    isOff = error instanceof ApiError && error.errorType === 'ERR_NOT_FOUND'
    for (const { url, resolve } of asking) {
      known.delete(url)
      resolve(undefined)
    }
  }
}
