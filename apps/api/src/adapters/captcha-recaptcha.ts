import { AppError } from '@pairwire/contract'
import * as z from 'zod'
import type { Captcha } from './captcha.ts'

/** Milliseconds for the provider's answer. */
const VERIFY_TIMEOUT_MS = 5_000

/**
 * Google's invisible reCAPTCHA. The provider itself accepts each token once and for two minutes.
 *
 * @param parts.verifyUrl where tokens are checked; the provider's own address by default
 * @see https://developers.google.com/recaptcha/docs/verify
 */
export function createRecaptchaCaptcha(parts: {
  siteKey: string
  secret: string
  verifyUrl?: string
  timeoutMs?: number
}): Captcha {
  const verifyUrl = parts.verifyUrl ?? 'https://www.google.com/recaptcha/api/siteverify'

  return {
    provider: 'recaptcha',
    siteKey: parts.siteKey,
    sources: {
      script: ['https://www.google.com/recaptcha/', 'https://www.gstatic.com/recaptcha/'],
      frame: ['https://www.google.com/recaptcha/', 'https://recaptcha.google.com/recaptcha/'],
    },
    challenge: undefined,

    async verify(token, address) {
      if (token === '') throw new AppError('CAPTCHA_FAILED')

      const answer = await ask(verifyUrl, parts.timeoutMs ?? VERIFY_TIMEOUT_MS, {
        secret: parts.secret,
        response: token,
        remoteip: address,
      })
      if (!answer) throw new AppError('ERR_UNAVAILABLE')
      if (!answer.success) throw new AppError('CAPTCHA_FAILED')
    },
  }
}

const Answer = z.object({ success: z.boolean() })

/** @returns undefined if the provider gives no usable answer in time */
async function ask(
  url: string,
  timeoutMs: number,
  form: Record<string, string>,
): Promise<z.infer<typeof Answer> | undefined> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      body: new URLSearchParams(form),
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    return Answer.parse(await response.json())
  } catch {
    return undefined
  }
}
