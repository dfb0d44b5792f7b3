import { loadScript } from './load-script.ts'

type Clarity = { (...call: unknown[]): void; q?: unknown[][] }

declare global {
  interface Window {
    clarity?: Clarity
  }
}

/** Milliseconds before the script counts as not loaded. */
const SCRIPT_TIMEOUT_MS = 15_000

/**
 * Has Clarity record how the pages are used, from the first key or pointer press on: nothing is fetched for those
 * who only look. When its script does not load, nothing is said.
 */
export function trackSessions(projectId: string): void {
  const presses = ['pointerdown', 'keydown'] as const
  const begin = () => {
    for (const press of presses) window.removeEventListener(press, begin)
    const queue: Clarity = (...call) => {
      queue.q = [...(queue.q ?? []), call]
    }
    window.clarity ??= queue
    loadScript(`https://www.clarity.ms/tag/${encodeURIComponent(projectId)}`, SCRIPT_TIMEOUT_MS).catch(
      () => {},
    )
  }
  for (const press of presses) window.addEventListener(press, begin)
}
