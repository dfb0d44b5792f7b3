import { randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { Account } from '@pairwire/contract'
import type { Locator, Page } from 'playwright-core'
import { makeAccount } from './operator.ts'
import { SOON_MS } from './story-time.ts'

/** An email that no other test uses. */
export function freshEmail(): string {
  return `mara.${randomBytes(5).toString('hex')}@example.com`
}

/** Link of the newest login mail to `email` in the service's dev mailbox, once there is one. */
export async function newestLink(serviceUrl: string, email: string): Promise<string> {
  const limit = Date.now() + SOON_MS
  do {
    const mails = (await (await fetch(`${serviceUrl}/dev/mail.json`)).json()) as {
      to: string
      link: string
    }[]
    const mail = mails.find(({ to }) => to === email)
    if (mail) return mail.link
    await setTimeout(100)
  } while (Date.now() < limit)
  throw new Error(`No mail to ${email}.`)
}

/** Registers through the form, like a person, and opens the mailed link. Ends on the account page. */
export async function registerAndSignIn(
  page: Page,
  serviceUrl: string,
  email = freshEmail(),
): Promise<string> {
  await page.goto(`${serviceUrl}/dashboard/register`)
  await page.getByLabel('Email', { exact: false }).first().fill(email)
  await page.getByLabel('How did you find us?').selectOption('friend')
  await page.getByRole('checkbox').nth(0).check()
  await page.getByRole('checkbox').nth(1).check()
  await page.getByRole('button', { name: 'Register' }).last().click()
  await page.getByRole('heading', { name: 'Check your email' }).waitFor()
  await page.goto(await newestLink(serviceUrl, email))
  await page.getByRole('heading', { name: 'Account', exact: true }).waitFor()
  return email
}

/**
 * Signs in a user whose account, and optionally plan, the operator created: the quick way for tests that are not about
 * registering. Ends on the account page.
 */
export async function signInNew(
  page: Page,
  service: Readonly<{ url: string; dataFolder: string }>,
  plan?: 'newpairs' | 'basic' | 'pro',
): Promise<Account['user']> {
  const { user } = await makeAccount(service, freshEmail(), plan)
  await fetch(`${service.url}/api/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: user.Email }),
  })
  await page.goto(await newestLink(service.url, user.Email))
  await page.getByRole('heading', { name: 'Account', exact: true }).waitFor()
  return user
}

/** Starts the free trial of a plan from the account page. Ends on the account page. */
export async function startTrial(
  page: Page,
  serviceUrl: string,
  plan: 'NewPairs Only' | 'Basic' | 'Pro',
): Promise<void> {
  await page.goto(`${serviceUrl}/dashboard/upgrade`)
  const order = { 'NewPairs Only': 0, Basic: 1, Pro: 2 }
  await page.getByRole('button', { name: 'Start free trial' }).nth(order[plan]).click()
  await page.getByText('Success, free trial started.').waitFor()
}

/** The badge of the newest swap in the console's list. */
export function firstSwap(page: Page): Locator {
  return page
    .getByRole('table')
    .getByText(/^(Buy|Sell)$/)
    .first()
}
