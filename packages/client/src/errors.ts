import { SDK_ERROR_TYPES, type StreamErrorType } from '@pairwire/contract/stream-error-types'

/** The properties of an error besides its type and message. */
type ErrorFacts = Readonly<{
  code?: number | null
  /** Address of the page that explains it. */
  docs: string
  comeBack?: boolean
  cause?: unknown
}>

/** An error of the SDK: the service's sentence, with a type and code for programs. It never contains the key. */
export class PairwireError extends Error {
  // Written out, since minifiers rename classes.
  override readonly name: string = 'PairwireError'
  readonly errorType: string
  /** Code of the answer or of the close, or the HTTP status; null if there is none. */
  readonly code: number | null
  /** Address of the page that explains it. */
  readonly docs: string
  /** Whether the same request may succeed later, unchanged. */
  readonly comeBack: boolean

  constructor(errorType: string, message: string, facts: ErrorFacts) {
    const { code = null, docs, comeBack = false, cause } = facts
    super(message, cause === undefined ? undefined : { cause })
    this.errorType = errorType
    this.code = code
    this.docs = docs
    this.comeBack = comeBack
  }
}

/** The key is unknown, was reset, or may not do this. */
export class KeyError extends PairwireError {
  override readonly name = 'KeyError'
}

/** The plan has ended, is used up, or does not allow this. */
export class PlanError extends PairwireError {
  override readonly name = 'PlanError'
}

/** The request is invalid, or duplicates a subscription. */
export class RequestError extends PairwireError {
  override readonly name = 'RequestError'
}

/** The events after the cursor are no longer kept, or the stream has not reached it. */
export class CursorError extends PairwireError {
  override readonly name = 'CursorError'
}

/** The connection failed or was closed. */
export class ConnectionError extends PairwireError {
  override readonly name = 'ConnectionError'
}

/** The SDK was used in a way that cannot work. */
export class UsageError extends PairwireError {
  override readonly name = 'UsageError'
}

/** Error classes by code of an answer, by close code, or by HTTP status. */
const CLASSES: Readonly<Record<number, typeof PairwireError>> = {
  401: KeyError,
  4001: KeyError,
  403: PlanError,
  4003: PlanError,
  [-32_011]: PlanError,
  [-32_012]: PlanError,
  [-32_013]: PlanError,
  [-32_015]: PlanError,
  [-32_010]: RequestError,
  [-32_600]: RequestError,
  [-32_601]: RequestError,
  [-32_602]: RequestError,
  [-32_700]: RequestError,
  [-32_014]: CursorError,
}

/** Makes the error for a code, in its class. */
function errorOf(code: number, errorType: string, message: string, facts: ErrorFacts): PairwireError {
  return new (CLASSES[code] ?? ConnectionError)(errorType, message, { ...facts, code })
}

/** How a socket ended. */
export type Ending = Readonly<{
  /** Close code, 1006 if there was none; the HTTP status of a refused upgrade, if the class exposes it. */
  code: number
  reason: string
  cause?: unknown
}>

/** Error types by close code or HTTP status; any other means a lost connection. */
const ENDINGS: Readonly<Record<number, string>> = {
  400: 'REFUSED',
  401: 'KEY_UNKNOWN',
  403: 'NO_PLAN',
  404: 'REFUSED',
  426: 'REFUSED',
  1001: 'RESTART',
  1003: 'BINARY',
  1008: 'TOO_MANY_FRAGMENTS',
  1009: 'TOO_BIG',
  4000: 'MALFORMED',
  4001: 'KEY_UNKNOWN',
  4003: 'NO_PLAN',
  4008: 'SLOW_CONSUMER',
  4009: 'DISCONNECTED',
  4029: 'CONNECTION_LIMIT',
}

/** The types among these that a retry may fix. */
const TEMPORARY = ['LINE_LOST', 'RESTART', 'SLOW_CONSUMER', 'CONNECTION_LIMIT']

/** Makes the error of a connection that ended this way, for the service with the docs at `docsUrl`. */
export function errorOfEnding({ code, reason, cause }: Ending, docsUrl: string): PairwireError {
  const errorType = ENDINGS[code] ?? 'LINE_LOST'
  // The page of a proxy tells nobody more than its status.
  const message = /^\s*(<|$)/.test(reason) ? `The connection ended (${code}).` : reason
  const comeBack = TEMPORARY.includes(errorType)
  return errorOf(code, errorType, message, { docs: docsOf(docsUrl, errorType), comeBack, cause })
}

/** The error that the service answers to a refused request. */
export type AnswerError = Readonly<{
  code: number
  message: string
  data?: Readonly<{ errorType?: string; docs?: string; oldest?: string | null }>
}>

/** Makes the error of a refused request. */
export function errorOfAnswer({ code, message, data }: AnswerError, docsUrl: string): PairwireError {
  const errorType = data?.errorType ?? 'REQUEST_FAILED'
  return errorOf(code, errorType, message, {
    docs: data?.docs ?? docsOf(docsUrl, errorType),
    comeBack: isPassing(code),
  })
}

/** Codes of errors that end one subscription. The contract's whole table would outweigh the code that reads it. */
const CLOSED_CODES: Readonly<Record<string, number>> = {
  FILTER_REQUIRED: -32011,
  FILTER_TOO_LARGE: -32012,
  PLAN_USED_UP: -32013,
  NO_ORDER: -32015,
} satisfies Partial<Record<StreamErrorType, number>>

/** Makes the error of a subscription that the service ended while the connection stays open. */
export function errorOfClosed(errorType: string, reason: string, docsUrl: string): PairwireError {
  return errorOf(CLOSED_CODES[errorType] ?? 0, errorType, reason, { docs: docsOf(docsUrl, errorType) })
}

/** Makes an error of the SDK itself; the message of its cause is appended. */
export function sdkError(
  errorType: keyof typeof SDK_ERROR_TYPES,
  docsUrl: string,
  cause?: Error,
): PairwireError {
  const Class = errorType === 'NO_WEBSOCKET' ? ConnectionError : UsageError
  const sentence = [SDK_ERROR_TYPES[errorType], cause?.message].filter(Boolean).join(' ')
  return new Class(errorType, sentence, { docs: docsOf(docsUrl, errorType), cause })
}

/** Whether a refused request may be sent again unchanged: too many requests, or an internal error. */
export function isPassing(code: number): boolean {
  return code === -32_029 || code === -32_603
}

/** Returns the address of an error's page on the service that serves `docsUrl`. */
function docsOf(docsUrl: string, errorType: string): string {
  return `${docsUrl}/errors/${errorType.toLowerCase().replaceAll('_', '-')}`
}

/** What was thrown, as an error. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}
