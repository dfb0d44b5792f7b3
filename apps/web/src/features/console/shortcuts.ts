import { createStore, type Store } from '../../components/store.ts'

/** Whether the list of keys is shown. */
export const areShortcutsShown: Store<boolean> = createStore(false)

/** The keys of the console, by the place in which they work. */
export const SHORTCUTS: readonly Readonly<{
  place: string
  keys: readonly (readonly [keys: string, does: string])[]
}>[] = [
  {
    place: 'In the editor',
    keys: [
      ['Ctrl Enter', 'Start'],
      ['Ctrl Shift Enter', 'Send'],
      ['Ctrl ]', 'Indent'],
      ['Ctrl [', 'Indent less'],
      ['Ctrl Shift F', 'Format valid JSON'],
    ],
  },
  {
    place: 'Anywhere in the stream',
    keys: [
      ['/', 'Filter rows'],
      ['Space', 'Pause or resume'],
      ['Esc', 'Clear the filter'],
      ['?', 'Show these keys'],
    ],
  },
  {
    place: 'On a row',
    keys: [
      ['↑ ↓ Home End', 'Go to another row'],
      ['Enter', 'Open the raw JSON'],
      ['C', 'Copy the JSON'],
      ['Alt press', 'Copy a link in full'],
    ],
  },
  {
    place: 'In the chart',
    keys: [
      ['← →', 'Read a moment out'],
      ['Enter', 'List its rows'],
    ],
  },
  {
    place: 'In the raw JSON',
    keys: [
      ['↑ ↓', 'Go to another row'],
      ['← →', 'Choose a field'],
      ['Esc', 'Close'],
    ],
  },
]
