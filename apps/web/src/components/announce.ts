import { createStore } from './store.ts'

/**
 * The three live regions of the page: results of actions, failures, and the console's own states. They stand
 * in the shell from the start; text put into a region that was just made is often not read out.
 */
type Region = 'status' | 'alert' | 'console'

/** What a region says. The number tells two equal announcements apart. */
export type Announcement = Readonly<{ text: string; number: number }>

/** What each region says now. */
export const announcements = {
  status: createStore<Announcement>({ text: '', number: 0 }),
  alert: createStore<Announcement>({ text: '', number: 0 }),
  console: createStore<Announcement>({ text: '', number: 0 }),
} as const satisfies Record<Region, unknown>

/** Has `text` read out: `status` when there is a pause, `alert` at once. Saying the same again is heard again. */
export function announce(text: string, region: Region): void {
  const store = announcements[region]
  store.write({ text, number: store.read().number + 1 })
}
