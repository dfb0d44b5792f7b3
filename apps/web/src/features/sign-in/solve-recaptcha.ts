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
 * @throws when the script does not come.
 */
export async function solveRecaptcha(siteKey: string): Promise<string> {
  loading ??= loadScript(siteKey)
  const recaptcha = await loading
  await new Promise<void>((resolve) => recaptcha.ready(resolve))
  return recaptcha.execute(siteKey, { action: 'register' })
}

let loading: Promise<Recaptcha> | undefined

function loadScript(siteKey: string): Promise<Recaptcha> {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script')
    script.src = `https://www.google.com/recaptcha/api.js?render=${encodeURIComponent(siteKey)}`
    script.onload = () => (window.grecaptcha ? resolve(window.grecaptcha) : script.onerror?.(''))
    script.onerror = () => {
      loading = undefined
      script.remove()
      reject(new Error('The captcha did not load.'))
    }
    document.head.append(script)
  })
}
