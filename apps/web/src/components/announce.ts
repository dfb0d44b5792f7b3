import { createStore } from './store.ts'

/**
 * The page's three live regions: results of actions, failures, and the console's own states. They exist in the shell
 * from the start, since text in a newly created region is often not read out.
 */
type Region = 'status' | 'alert' | 'console'

/** The text of a region. The number distinguishes two equal announcements. */
export type Announcement = Readonly<{ text: string; number: number }>

/** The current text of each region. */
export const announcements = {
  status: createStore<Announcement>({ text: '', number: 0 }),
  alert: createStore<Announcement>({ text: '', number: 0 }),
  console: createStore<Announcement>({ text: '', number: 0 }),
} as const satisfies Record<Region, unknown>

/** Announces `text`: `status` at the next pause, `alert` at once. Repeated texts are announced again. */
export function announce(text: string, region: Region): void {
  const store = announcements[region]
  store.write({ text, number: store.read().number + 1 })
}
