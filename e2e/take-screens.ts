// `npm run screens`: walks through a separate service, stores the pictures of docs/screens, light and dark, with a moving
// one, and reports the faults of each: accessibility, content policy, script errors.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { findFaults, launchBrowser, openPage, type WatchedPage } from './browser.ts'
import { signIn } from './dashboard/api-double.ts'
import { firstSwap, registerAndSignIn, startTrial } from './people.ts'
import { root, startService } from './service.ts'

/** Seconds of stream before the console's picture is taken: the chart shows a minute. */
const STREAM_SECONDS = 65

/** Pictures of the moving one, taken as fast as possible, each shown for as long as it lasted. */
const MOVING_PICTURES = 60

const folder = join(root, 'docs/screens')
mkdirSync(folder, { recursive: true })
const service = await startService()
const browser = await launchBrowser()

await Promise.all((['light', 'dark'] as const).map((theme) => takeScreens(theme)))

await browser.close()
await service.stop()

async function takeScreens(theme: 'light' | 'dark'): Promise<void> {
  const keep = async (page: WatchedPage, name: string) => {
    await page.screenshot({ path: join(folder, `${name}-${theme}.jpg`), type: 'jpeg', quality: 72 })
    const faults = await findFaults(page)
    console.log(`${name}, ${theme}: ${faults.length === 0 ? 'clean' : faults.join('\n  ')}`)
    if (faults.length > 0) process.exitCode = 1
  }
  const page = await openPage(browser, { theme })

  await page.goto(`${service.url}/dashboard/login`)
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await page.getByRole('button', { name: 'Send login link' }).click()
  await keep(page, 'login')
  await page.goto(`${service.url}/dashboard/register`)
  await page.getByRole('heading', { name: 'Register' }).waitFor()
  await keep(page, 'register')

  await registerAndSignIn(page, service.url)
  await page.goto(`${service.url}/dashboard/upgrade`)
  await page.getByRole('heading', { name: 'Choose a plan' }).waitFor()
  await page.getByRole('button', { name: 'Start free trial' }).first().waitFor()
  await keep(page, 'upgrade')
  await startTrial(page, service.url, 'Pro')
  await page.getByText('Free Trial').first().waitFor()
  await page.getByRole('heading', { name: 'API key' }).waitFor()
  await page.waitForLoadState('networkidle')
  await keep(page, 'account')

  await page.goto(`${service.url}/dashboard/console`)
  await page.getByRole('button', { name: 'All swaps' }).click()
  await page.getByRole('button', { name: /^Start/ }).click()
  await firstSwap(page).waitFor()
  await page
    .locator('textarea')
    .fill('{"id":2,"method":"newPairSubscribe","params":{"include_pumpfun":true}}')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByRole('button', { name: 'All swaps' }).click()
  await page.waitForTimeout(STREAM_SECONDS * 1_000)
  await keep(page, 'console')
  await sharp(await page.screenshot())
    .webp({ quality: 82 })
    .toFile(join(folder, `console-names-${theme}.webp`))
  if (theme === 'dark') await keepMoving(page)
  await page
    .getByRole('button', { name: /Raw JSON/ })
    .nth(4)
    .click()
  await page.getByRole('dialog').waitFor()
  await keep(page, 'console-json')
  const token = await page.evaluate<string>("localStorage.getItem('token')")
  await page.context().close()

  const phone = await openPage(browser, { theme, width: 390, height: 844 })
  await signIn(phone, service.url, token)
  await phone.goto(`${service.url}/dashboard/console`)
  await phone.getByRole('button', { name: /^Start/ }).click()
  await firstSwap(phone).waitFor()
  await phone.waitForTimeout(20_000)
  await keep(phone, 'phone-console')
  await phone.getByRole('button', { name: /menu/i }).first().click()
  await phone.waitForTimeout(600)
  await keep(phone, 'phone-menu')
  await phone.context().close()
}

/** The running console as a moving picture, at its real speed. */
async function keepMoving(page: WatchedPage): Promise<void> {
  const pictures: Buffer[] = []
  const delay: number[] = []
  for (let at = Date.now(); pictures.length < MOVING_PICTURES; ) {
    pictures.push(await page.screenshot())
    const now = Date.now()
    delay.push(now - at)
    at = now
  }
  const small = await Promise.all(
    pictures.map((picture) => sharp(picture).resize({ width: 1_080 }).png().toBuffer()),
  )
  await sharp(small, { join: { animated: true } })
    .webp({ quality: 70, delay })
    .toFile(join(folder, 'console-moving.webp'))
}
