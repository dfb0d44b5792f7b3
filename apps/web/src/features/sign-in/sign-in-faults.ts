import type { Origin } from '@pairwire/contract/paths'
import { ApiError } from '../../api/api-error.ts'
import { SIGN_IN_WORDS, UNEXPECTED_ERROR, UNKNOWN_ERROR } from '../../specified-words.ts'

/** The contents of the registration form. */
export type RegisterForm = Readonly<{
  email: string
  /** Whether the browser accepts the text as an email address. */
  emailValid: boolean
  origin: Origin | ''
  terms: boolean
  disclaimer: boolean
  marketing: boolean
}>

/** Where an error of the form is shown: at a control, or above the button. */
export type FaultPlace = 'email' | 'origin' | 'terms' | 'disclaimer' | 'form'

/** An error and its words. */
export type Fault = Readonly<{ place: FaultPlace; message: string }>

/** The first error in the form, in the specified order; the captcha comes after these. */
export function firstFault(form: RegisterForm): Fault | undefined {
  if (form.email.trim() === '' || !form.emailValid)
    return { place: 'email', message: SIGN_IN_WORDS.emailMissing }
  if (form.origin === '') return { place: 'origin', message: SIGN_IN_WORDS.originMissing }
  if (!form.terms) return { place: 'terms', message: SIGN_IN_WORDS.termsMissing }
  if (!form.disclaimer) return { place: 'disclaimer', message: SIGN_IN_WORDS.disclaimerMissing }
  return undefined
}

/** What a failed login or token exchange says. */
export function loginFault(error: unknown): string {
  return typeOf(error) === 'ERR_LOGIN_REQUIRED' ? SIGN_IN_WORDS.loginRefused : UNKNOWN_ERROR
}

/** What a failed registration says, and where; anything without words of its own is shown in the server's words. */
export function registerFault(error: unknown): Fault {
  switch (typeOf(error)) {
    case 'BLOCKED_EMAIL_DOMAIN':
      return { place: 'email', message: SIGN_IN_WORDS.domainBlocked }
    case 'ERR_CONFLICT':
      return { place: 'email', message: SIGN_IN_WORDS.emailKnown }
    default:
      return { place: 'form', message: wordsOf(error) }
  }
}

/** What the server said, or the specified words for no answer, or the specified words for an unknown error. */
function wordsOf(error: unknown): string {
  if (!(error instanceof ApiError)) return UNKNOWN_ERROR
  return error.serverMessage ?? (error.answered ? UNKNOWN_ERROR : UNEXPECTED_ERROR)
}

function typeOf(error: unknown): string | undefined {
  return error instanceof ApiError ? error.errorType : undefined
}
