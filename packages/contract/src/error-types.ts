import { CLOSE_REASONS, SUPPORT_EMAIL } from './close-codes.ts'
import type { StreamErrorType } from './stream-error-types.ts'

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
  KEY_UNKNOWN: { status: 401, message: CLOSE_REASONS.keyUnknown.sentence },
  PAYMENT_REQUIRED: { status: 402, message: 'This order cannot be downloaded.' },
  ERR_FORBIDDEN: { status: 403, message: 'This is not allowed.' },
  NO_PLAN: { status: 403, message: CLOSE_REASONS.noPlan.sentence },
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
  WEBHOOK_LIMIT: { status: 409, message: 'Your plan has no endpoint left. Delete one first.' },
  HISTORY_UNAVAILABLE: { status: 409, message: 'This history cannot be ordered.' },
  ERR_TOO_LARGE: { status: 413, message: 'The request is too large.' },
  CONNECTION_LIMIT: { status: 429, message: CLOSE_REASONS.connectionLimit.sentence },
  ERR_RATE_LIMITED: { status: 429, message: 'Too many requests. Try again in a minute.' },
  ERR_ADDRESS_TOO_LONG: {
    status: 431,
    message: 'The address is longer than 16 KiB. Send the params as JSON by POST.',
  },
  ERR_UNKNOWN: { status: 500, message: 'There was an unexpected error. Please try again.' },
  ERR_UNAVAILABLE: { status: 503, message: 'This part of the service is away. Try again in a minute.' },
} as const satisfies Record<string, { status: number; message: string }>

/** The sentence of `KEY_UNKNOWN` for a request without a key. */
export const KEY_MISSING = 'Send your API key in the header X-API-KEY, or as ?key= in the address.'

/** Name of an {@link ERROR_TYPES} entry. */
export type ErrorType = keyof typeof ERROR_TYPES

/** The last part of the address of an error's page, `/docs/errors/<name>`, from any spelling: `EMPTY_LIST`, `keyUnknown`. */
export function errorPageName(name: string): string {
  const words = /[a-z]/.test(name) ? name.replace(/([a-z])([A-Z])/g, '$1-$2') : name
  return words.toLowerCase().replaceAll('_', '-').replace(/^err-/, '')
}

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

/** Body of every refusal below `/v1`; `docs` is the address of its page. */
export type FaceRefusal = Readonly<{ errorType: string; errorMessage: string; docs: string }>

/** Statuses of the stream's refusals below `/v1`; any other is a wrong request, 400. */
const STATUSES: Readonly<Partial<Record<StreamErrorType, number>>> = {
  FILTER_REQUIRED: 403,
  FILTER_TOO_LARGE: 403,
  PLAN_USED_UP: 403,
  CURSOR_TOO_OLD: 410,
  CURSOR_AHEAD: 410,
  TOO_MANY_REQUESTS: 429,
  INTERNAL_ERROR: 500,
  REPLAY_AWAY: 503,
}

/** Status of a refusal below `/v1`. */
export function faceStatus(errorType: ErrorType | StreamErrorType): number {
  if (errorType in ERROR_TYPES) return ERROR_TYPES[errorType as ErrorType].status
  return STATUSES[errorType as StreamErrorType] ?? 400
}
