import { noAnswer } from '../../api/api-error.ts'
import { loadScript } from '../../third-parties/load-script.ts'

type Recaptcha = Readonly<{
  ready: (callback: () => void) => void
  execute: (siteKey: string, options: { action: string }) => PromiseLike<string>
}>

declare global {
  interface Window {
    grecaptcha?: Recaptcha
  }
}

/**
 * A token of reCAPTCHA v3, whose script is fetched at the first call.
 *
 * @see https://developers.google.com/recaptcha/docs/v3
 * @throws when the script does not load.
 */
export async function solveRecaptcha(siteKey: string): Promise<string> {
  loading ??= fetchRecaptcha(siteKey)
  const recaptcha = await loading
  await new Promise<void>((resolve) => recaptcha.ready(resolve))
  return recaptcha.execute(siteKey, { action: 'register' })
}

let loading: Promise<Recaptcha> | undefined

/** Milliseconds before the script counts as not loaded: as long as a submit waits for the captcha. */
const SCRIPT_TIMEOUT_MS = 30_000

async function fetchRecaptcha(siteKey: string): Promise<Recaptcha> {
  const url = `https://www.google.com/recaptcha/api.js?render=${encodeURIComponent(siteKey)}`
  try {
    await loadScript(url, SCRIPT_TIMEOUT_MS)
    if (window.grecaptcha) return window.grecaptcha
    throw noAnswer()
  } catch (error) {
    loading = undefined
    throw error
  }
}
