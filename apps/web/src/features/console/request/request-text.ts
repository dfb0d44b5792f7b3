import { keep, readKept } from '../../../components/kept.ts'
import { createStore, type Store } from '../../../components/store.ts'
import { ALL_SWAPS } from './examples.ts'

/** Storage key of the request in this browser. */
const KEY = 'console.request'

const remembered = readKept(KEY)

/** The text of the request editor, as typed; remembered in this browser. */
export const requestText: Store<string> = createStore(remembered ?? ALL_SWAPS.text)

/** Whether a person chose the text, now or on an earlier visit. */
let isChosen = remembered !== undefined

requestText.subscribe(() => {
  isChosen = true
  keep(KEY, requestText.read())
})

/** Puts a request into an untouched editor. */
export function suggestRequest(text: string): void {
  if (!isChosen && text !== requestText.read()) requestText.write(text)
}
