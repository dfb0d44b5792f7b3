import { isObject, readObject } from '@pairwire/basics'
import { type FeedFacts, oneLine } from '../chain/feed.ts'

/** The oldest version of the open-source server without known faults in how it ends slots. */
const OLDEST_SOUND = [14, 1, 0] as const

/**
 * Describes a server's answer to `GetVersion`: JSON with its package and version, nested or not, or any other text.
 * Only versions of the open-source server are compared; others are numbered differently.
 *
 * @see https://github.com/rpcpool/yellowstone-grpc releases 13.3.1 to 15.1.1 name the faults
 */
export function describeVersion(text: string | undefined): FeedFacts {
  if (text === undefined || text === '') return { warning: null }
  const { name, version } = readVersion(oneLine(text))
  const shown = name === undefined ? version : `${name} ${version}`
  const isComparable = name === undefined || name.includes('yellowstone')
  const warning =
    isComparable && isOlder(version)
      ? `The server's version ${version} is older than ${OLDEST_SOUND.join('.')}, the first without known faults in what it says of slots: confirmations may be missing and blocks late.`
      : null
  return { version: shown.slice(0, 100), warning }
}

function readVersion(text: string): { name: string | undefined; version: string } {
  const outer = readObject(text) ?? {}
  const inner = isObject(outer.version) ? outer.version : outer
  // Not JSON: the text itself is the version.
  if (typeof inner.version !== 'string') return { name: undefined, version: text }
  return { name: typeof inner.package === 'string' ? inner.package : undefined, version: inner.version }
}

function isOlder(version: string): boolean {
  const parts = /^v?(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number)
  if (!parts) return false
  for (const [at, oldest] of OLDEST_SOUND.entries()) {
    if (parts[at]! !== oldest) return parts[at]! < oldest
  }
  return false
}
