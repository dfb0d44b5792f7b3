import { api } from '../api/api.ts'
import { keep, readKept } from '../components/kept.ts'
import { createStore } from '../components/store.ts'

/** Milliseconds between two requests for the system status while the page is visible. */
const EVERY_MS = 60_000

/** What the last visit saw, empty for no notice, so that the banner has its line from the first paint. */
const LAST_KEY = 'notice.last'
/** The exact text that was dismissed in this browser session. */
const DISMISSED_KEY = 'notice.dismissed'

/** Every notice of the service, whether or not it was dismissed. */
export const notices = createStore<readonly string[]>([])

/** The system status notice; `undefined` when there is none or it was dismissed. */
export const notice = createStore<string | undefined>(undefined)

/** Shows the last visit's notice. @returns whether there was a last visit, with or without a notice. */
export function showLastNotice(): boolean {
  const last = readKept(LAST_KEY)
  show(last || undefined)
  return last !== undefined
}

/** Asks the server for the notice. A failed call shows nothing. */
export async function loadNotice(): Promise<void> {
  const said = await api.systemStatus().catch(() => [])
  keep(LAST_KEY, said[0] ?? '')
  notices.write(said)
  show(said[0])
}

/** Asks again every 60 s while the page is visible. @returns a function that stops it. */
export function watchNotice(): () => void {
  const look = () => {
    if (document.visibilityState === 'visible') void loadNotice()
  }
  const timer = setInterval(look, EVERY_MS)
  return () => clearInterval(timer)
}

/** Removes the notice; the same text does not come back in this browser session. */
export function dismissNotice(): void {
  keep(DISMISSED_KEY, notice.read(), 'sessionStorage')
  notice.write(undefined)
}

function show(text: string | undefined): void {
  notice.write(text !== undefined && text === readKept(DISMISSED_KEY, 'sessionStorage') ? undefined : text)
}
