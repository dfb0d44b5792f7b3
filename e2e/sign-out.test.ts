import { describe, expect, inject } from 'vitest'
import { chromePath, type WatchedPage } from './browser.ts'
import { test } from './browser-test.ts'
import { newestLink, signInNew } from './people.ts'
import { STORY_MS } from './story-time.ts'

const url = inject('serviceUrl')
const service = { url, dataFolder: inject('dataFolder') }

/** The service's status for the page's token, even after the page has dropped it. */
async function holdToken(page: WatchedPage): Promise<() => Promise<number>> {
  const token = await page.evaluate<string>('localStorage.getItem("token")')
  return async () =>
    (await fetch(`${url}/api/account`, { headers: { authorization: `Bearer ${token}` } })).status
}

async function signInWith(page: WatchedPage, email: string): Promise<void> {
  await fetch(`${url}/api/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email }),
  })
  await page.goto(await newestLink(url, email))
  await page.getByRole('heading', { name: 'Account', exact: true }).waitFor()
}

describe.skipIf(!chromePath)('A session', { timeout: STORY_MS }, () => {
  test('is worth nothing after Sign Out, and after Sign out everywhere on any device', async ({ open }) => {
    const [desk, phone] = [await open(), await open({ width: 390, height: 844 })]
    const { Email } = await signInNew(desk, service)
    await signInWith(phone, Email)
    const [deskStatus, phoneStatus] = [await holdToken(desk), await holdToken(phone)]

    await desk.getByRole('banner').getByText('Sign Out').click()
    await desk.getByRole('heading', { name: 'You are signed out' }).waitFor()
    expect(await deskStatus()).toBe(401)
    expect(await phoneStatus()).toBe(200)

    await signInWith(desk, Email)
    const deskAgain = await holdToken(desk)
    await phone.getByRole('button', { name: 'Sign out everywhere' }).click()
    await phone.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click()
    await phone.getByRole('heading', { name: 'You are signed out' }).waitFor()
    expect(await phoneStatus()).toBe(401)
    expect(await deskAgain()).toBe(401)

    await desk.reload()
    await desk.getByText('Your session ended. Sign in again.').waitFor()
  })
})
