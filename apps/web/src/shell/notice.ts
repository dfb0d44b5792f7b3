import { api } from '../api/api.ts'
import { createStore } from '../components/store.ts'

/** Milliseconds between two looks at the system status while the page is seen. */
const EVERY_MS = 60_000

/** What the last visit saw, empty for no notice, so that the banner's line is there from the first paint on. */
const LAST_KEY = 'notice.last'
/** The exact text that was dismissed in this browser session. */
const DISMISSED_KEY = 'notice.dismissed'

/** All that the service says of itself, whatever was dismissed. */
export const notices = createStore<readonly string[]>([])

/** The system status notice; `undefined` when there is none or it was dismissed. */
export const notice = createStore<string | undefined>(undefined)

/** Shows the last visit's notice. @returns whether there was a last visit, with a notice or without. */
export function showLastNotice(): boolean {
  const last = read(localStorageOrNone(), LAST_KEY)
  show(last || undefined)
  return last !== undefined
}

/** Asks the server for the notice. A call that fails shows and says nothing. */
export async function loadNotice(): Promise<void> {
  const said = await api.systemStatus().catch(() => [])
  write(localStorageOrNone(), LAST_KEY, said[0] ?? '')
  notices.write(said)
  show(said[0])
}

/** Looks again every 60 s while the page is seen. @returns what ends it. */
export function watchNotice(): () => void {
  const look = () => {
    if (document.visibilityState === 'visible') void loadNotice()
  }
  const timer = setInterval(look, EVERY_MS)
  return () => clearInterval(timer)
}

/** Takes the notice away; the same text does not come back in this browser session. */
export function dismissNotice(): void {
  write(sessionStorageOrNone(), DISMISSED_KEY, notice.read())
  notice.write(undefined)
}

function show(text: string | undefined): void {
  notice.write(text !== undefined && text === read(sessionStorageOrNone(), DISMISSED_KEY) ? undefined : text)
}

function read(storage: Storage | undefined, key: string): string | undefined {
  return storage?.getItem(key) ?? undefined
}

function write(storage: Storage | undefined, key: string, text: string | undefined): void {
  try {
    if (text === undefined) storage?.removeItem(key)
    else storage?.setItem(key, text)
  } catch {
    // A full store forgets; the banner still shows.
  }
}

function localStorageOrNone(): Storage | undefined {
  try {
    return window.localStorage
  } catch {
    return undefined
  }
}

function sessionStorageOrNone(): Storage | undefined {
  try {
    return window.sessionStorage
  } catch {
    return undefined
  }
}
