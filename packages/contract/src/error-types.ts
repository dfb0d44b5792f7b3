import { SUPPORT_EMAIL } from './close-codes.ts'

/** Every `errorType` of the HTTP API, with its status and its sentence for people. */
export const ERROR_TYPES = {
  ERR_VALIDATION: { status: 400, message: 'The request does not have the expected form.' },
  BLOCKED_EMAIL_DOMAIN: {
    status: 400,
    message: 'Blocked email domain. Please register with a different email address.',
  },
  ACTIVE_SUBSCRIPTION: {
    status: 400,
    message: 'Your subscription is still active. Cancel it before you delete your account.',
  },
  CAPTCHA_FAILED: {
    status: 400,
    message: 'The captcha could not be verified. Reload the page and try again.',
  },
  REGISTRATION_CLOSED: {
    status: 400,
    message: `Registration is closed. Ask for an invitation at ${SUPPORT_EMAIL}.`,
  },
  ERR_LOGIN_REQUIRED: { status: 401, message: 'Sign in first.' },
  KEY_UNKNOWN: { status: 401, message: 'No account has this API key. Copy it from the account page.' },
  PAYMENT_REQUIRED: { status: 402, message: 'This order cannot be downloaded.' },
  ERR_FORBIDDEN: { status: 403, message: 'This is not allowed.' },
  CODE_REQUIRED: { status: 403, message: 'Enter a code from your app first.' },
  ACCOUNT_SUSPENDED: { status: 403, message: 'This is not allowed.' },
  HOUR_NOT_IN_ORDER: { status: 403, message: 'This hour is not part of the order.' },
  ERR_NOT_FOUND: { status: 404, message: 'There is nothing at this address.' },
  HOUR_MISSING: { status: 404, message: 'The archive does not have this hour.' },
  ERR_METHOD_NOT_ALLOWED: { status: 405, message: 'This address takes another method.' },
  ERR_TIMEOUT: { status: 408, message: 'The request did not arrive whole within 15 seconds.' },
  ERR_CONFLICT: { status: 409, message: 'Email already registered. Please try again...' },
  TRIAL_USED: { status: 409, message: 'You have already used the free trial.' },
  SUBSCRIPTION_EXISTS: { status: 409, message: 'You already have a plan.' },
  HISTORY_UNAVAILABLE: { status: 409, message: 'This history cannot be ordered.' },
  ERR_TOO_LARGE: { status: 413, message: 'The request is too large.' },
  ERR_RATE_LIMITED: { status: 429, message: 'Too many requests. Try again in a minute.' },
  ERR_UNKNOWN: { status: 500, message: 'There was an unexpected error. Please try again.' },
  ERR_UNAVAILABLE: { status: 503, message: 'This part of the service is away. Try again in a minute.' },
} as const satisfies Record<string, { status: number; message: string }>

/** Name of an {@link ERROR_TYPES} entry. */
export type ErrorType = keyof typeof ERROR_TYPES

/** A refusal that the caller can act on, as opposed to a bug. */
export class AppError extends Error {
  readonly errorType: ErrorType

  /** `message` defaults to the type's own sentence. */
  constructor(errorType: ErrorType, message: string = ERROR_TYPES[errorType].message) {
    super(message)
    this.name = 'AppError'
    this.errorType = errorType
  }

  /** HTTP status of the answer. */
  get status(): number {
    return ERROR_TYPES[this.errorType].status
  }
}
