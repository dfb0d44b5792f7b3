import { createStore, type Store } from '../../components/store.ts'
import { ALL_SWAPS } from './examples.ts'

/** Where the request is remembered in this browser. */
const KEY = 'console.request'

/** The text of the request editor, as typed; remembered in this browser. */
export const requestText: Store<string> = createStore(remembered())

requestText.subscribe(() => {
  try {
    localStorage.setItem(KEY, requestText.read())
  } catch {
    // Storage is closed to us: the text lasts as long as the page.
  }
})

function remembered(): string {
  try {
    return localStorage.getItem(KEY) ?? ALL_SWAPS.text
  } catch {
    return ALL_SWAPS.text
  }
}
