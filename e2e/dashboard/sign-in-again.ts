import type { Page } from 'playwright-core'
import { sessionToken } from './api-double.ts'

let count = 0

/** Signs in as another tab does: the page drops its data and reads the account of the new session. @returns its token */
export async function signInAgain(page: Page): Promise<string> {
  const token = `${sessionToken()}${++count}`
  await page.evaluate((token) => {
    localStorage.setItem('token', token)
    dispatchEvent(new StorageEvent('storage', { key: 'token' }))
  }, token)
  return token
}
