import { currentConfig } from '../../api/config-store.ts'
import { type Captcha, createCaptcha } from './captcha.ts'

/** The registration form's captcha; none of its code is fetched before it is warmed or taken. */
export function createFormCaptcha(): Captcha {
  return createCaptcha({
    solve: solveWithProvider,
    now: () => performance.now(),
    after: (ms) => new Promise((resolve) => setTimeout(resolve, ms, undefined)),
  })
}

async function solveWithProvider(): Promise<string> {
  const { provider, siteKey } = currentConfig().captcha
  if (provider === 'recaptcha' && siteKey !== undefined) {
    const { solveRecaptcha } = await import('./solve-recaptcha.ts')
    return solveRecaptcha(siteKey)
  }
  const { solveAltcha } = await import('./solve-altcha.ts')
  return solveAltcha()
}
