import { keep } from '../../../components/kept.ts'
import { createStore, type Store } from '../../../components/store.ts'
import { readKeptList } from '../kept-list.ts'

/** A request saved under a name in this browser. */
type SavedRequest = Readonly<{ name: string; text: string }>

const KEY = 'console.saved'
/** Most saved requests; beyond that the oldest is removed. */
const MOST_SAVED = 50
/** Characters of a name. */
export const LONGEST_NAME = 60

/** The saved requests, the latest first. */
export const savedRequests: Store<readonly SavedRequest[]> = createStore(remembered())
// What another tab saves: the next one saved here would replace it.
globalThis.addEventListener?.('storage', ({ key }) => key === KEY && savedRequests.write(remembered()))

/** Saves `text` under `name`, replacing an earlier one. */
export function saveRequest(name: string, text: string): void {
  const clean = name.trim().slice(0, LONGEST_NAME)
  if (clean === '') return
  const others = savedRequests.read().filter((saved) => saved.name !== clean)
  write([{ name: clean, text }, ...others].slice(0, MOST_SAVED))
}

/** Removes the request `name`. */
export function forgetRequest(name: string): void {
  write(savedRequests.read().filter((saved) => saved.name !== name))
}

/** Returns the address that opens the console with `text` in the editor; `undefined` if it is too long for a link. */
export function requestLink(text: string, origin: string): string | undefined {
  const link = `${origin}/dashboard/console?${new URLSearchParams({ request: text })}`
  return link.length > LONGEST_LINK ? undefined : link
}

/** Characters of an address that servers and messengers accept. */
const LONGEST_LINK = 8_000

function write(saved: readonly SavedRequest[]) {
  savedRequests.write(saved)
  keep(KEY, JSON.stringify(saved))
}

function remembered(): readonly SavedRequest[] {
  const isSaved = ({ name, text }: Partial<SavedRequest>) =>
    typeof name === 'string' && typeof text === 'string'
  return readKeptList(KEY, isSaved).slice(0, MOST_SAVED)
}
