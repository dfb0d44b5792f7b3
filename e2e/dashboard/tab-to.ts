import type { Locator } from 'playwright-core'
import { isFocused } from '../browser.ts'

/** Presses of Tab after which an element counts as out of reach. */
const MOST_STOPS = 60

/** Moves the keyboard's focus to an element as somebody without a pointer does. @throws Error if Tab does not reach it */
export async function tabTo(element: Locator): Promise<void> {
  await element.waitFor()
  for (let stop = 0; stop < MOST_STOPS; stop++) {
    if (await isFocused(element)) return
    await element.page().keyboard.press('Tab')
  }
  throw new Error(`Tab does not reach ${element}.`)
}
