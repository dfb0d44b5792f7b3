import type { Clock } from '@pairwire/basics'
import { type OwnPages, type PublicFetch, readFileUrl } from '@pairwire/public-fetch'
import { readPage, type TokenPage } from './read-page.ts'

/** What {@link createPageReader} needs. */
type PageReaderParts = Readonly<{
  fetchPage: PublicFetch
  clock: Clock
  signal: AbortSignal
  own?: OwnPages | undefined
  /** `undefined`: the token's address cannot be a page, or there is none. */
  onRead(mint: string, uri: string, page: TokenPage | undefined): void
  onGivenUp(mint: string): void
}>

/** Pages read at a time: at two seconds each, more than hang when every host of a busy chain does. */
export const READ_AT_A_TIME = 48
/** For one host, so that a hanging host delays only its own pages. */
export const READ_OF_A_HOST = 12

/** Waiting pages of each urgency; the oldest are dropped. */
const MAX_WAITING = 500

/** Milliseconds before each retry of a failed page. */
const RETRIES_MS = [2_000, 8_000, 20_000]

type Task = Readonly<{ mint: string; uri: string; url: URL; isUrgent: boolean; tries: number }>

/**
 * Reads the pages that tokens name, off the path of events:
 *
 *     want -> waiting, newest first -> reading -> read
 *                 ^                       |
 *                 +-- 2, 8, then 20 s ----+--> given up: after four tries, or beyond what may wait
 */
export function createPageReader(parts: PageReaderParts) {
  const { fetchPage, clock, signal, own, onRead, onGivenUp } = parts
  const waiting: { urgent: Task[]; others: Task[] } = { urgent: [], others: [] }
  const ofHost = new Map<string, number>()
  let reading = 0

  const begin = () => {
    while (reading < READ_AT_A_TIME && !signal.aborted) {
      const task = takeNewest(waiting.urgent) ?? takeNewest(waiting.others)
      if (!task) return
      void read(task)
    }
  }

  /** Removes and returns the newest whose host has room. */
  const takeNewest = (tasks: Task[]): Task | undefined => {
    const at = tasks.findLastIndex(({ url }) => (ofHost.get(url.hostname) ?? 0) < READ_OF_A_HOST)
    return at < 0 ? undefined : tasks.splice(at, 1)[0]
  }

  const read = async (task: Task): Promise<void> => {
    const { mint, uri, url } = task
    const { hostname } = url
    reading++
    ofHost.set(hostname, (ofHost.get(hostname) ?? 0) + 1)
    const bytes = await fetchPage(url).catch(() => undefined)
    reading--
    const left = ofHost.get(hostname)! - 1
    if (left > 0) ofHost.set(hostname, left)
    else ofHost.delete(hostname)

    if (signal.aborted) return
    if (bytes) onRead(mint, uri, readPage(bytes, own))
    else void tryLater(task)
    begin()
  }

  const tryLater = async (task: Task): Promise<void> => {
    const delayMs = RETRIES_MS[task.tries]
    if (delayMs === undefined) return onGivenUp(task.mint)
    await clock.wait(delayMs, signal)
    if (!signal.aborted) add({ ...task, tries: task.tries + 1 })
  }

  const add = (task: Task) => {
    const tasks = task.isUrgent ? waiting.urgent : waiting.others
    tasks.push(task)
    if (tasks.length > MAX_WAITING) onGivenUp(tasks.shift()!.mint)
    begin()
  }

  return {
    /** Requests the page of a token; urgent ones go first. */
    want(mint: string, uri: string, isUrgent: boolean): void {
      const url = readFileUrl(uri.trim(), own)
      if (url) add({ mint, uri, url, isUrgent, tries: 0 })
      else onRead(mint, uri, undefined)
    },
    /** Pages that are being read now, and that wait. */
    size: () => ({ reading, waiting: waiting.urgent.length + waiting.others.length }),
  }
}
