import { SDK_ERROR_TYPES, type SdkErrorType, STREAM_ERROR_TYPES } from '@pairwire/contract/stream-error-types'

/** What an error says beside its sentence. */
type ErrorFacts = Readonly<{
  code?: number | null
  /** Address of the page that explains it. */
  docs?: string
  comeBack?: boolean
  cause?: unknown
}>

/** Every error of the SDK: the service's sentence, and for programs what kind it is. None of its texts holds the key. */
export class PairwireError extends Error {
  readonly errorType: string
  /** Code of the answer, of the close or of the HTTP status; null where there is none. */
  readonly code: number | null
  /** Address of the page that explains it. */
  readonly docs: string
  /** Whether the same may succeed later, without a change. */
  readonly comeBack: boolean

  constructor(errorType: string, message: string, facts: ErrorFacts = {}) {
    const { code = null, docs = `/docs/errors/${pageOf(errorType)}`, comeBack = false, cause } = facts
    super(message, cause === undefined ? undefined : { cause })
    this.name = new.target.name
    this.errorType = errorType
    this.code = code
    this.docs = docs
    this.comeBack = comeBack
  }
}

/** The key is not known, was reset, or may not do this. */
export class KeyError extends PairwireError {}

/** The plan ended, is used up, or does not allow this. */
export class PlanError extends PairwireError {}

/** The request is wrong, or a second one of its kind. */
export class RequestError extends PairwireError {}

/** What follows the cursor is not kept, or the stream never reached it. */
export class CursorError extends PairwireError {}

/** The line cannot be had, or was ended. */
export class ConnectionError extends PairwireError {}

/** The SDK was used in a way that cannot work. */
export class UsageError extends PairwireError {}

/** The class for a code: of an answer, of a close, or of an HTTP status. */
const CLASSES: ReadonlyMap<number, typeof PairwireError> = new Map<number, typeof PairwireError>([
  ...[4001, 401].map((code) => [code, KeyError] as const),
  ...[4003, 403, -32011, -32012, -32013, -32015].map((code) => [code, PlanError] as const),
  ...[-32600, -32601, -32602, -32700, -32010].map((code) => [code, RequestError] as const),
  [-32014, CursorError],
])

/** Makes the error of a code, in the class that belongs to it. */
export function errorOf(
  code: number,
  errorType: string,
  message: string,
  facts: ErrorFacts = {},
): PairwireError {
  return new (CLASSES.get(code) ?? ConnectionError)(errorType, message, { ...facts, code })
}

/** How a socket ended. */
export type Ending = Readonly<{
  /** Close code; 1006 where there was none. */
  code: number
  /** HTTP status of a refused upgrade, where the class shows it. */
  status?: number
  reason: string
  cause?: unknown
}>

/** By close code or HTTP status: the type, and whether to come back. What is not named here may heal. */
const ENDINGS: Readonly<Record<number, readonly [errorType: string, comeBack: boolean]>> = {
  400: ['REFUSED', false],
  401: ['KEY_UNKNOWN', false],
  403: ['NO_PLAN', false],
  404: ['REFUSED', false],
  426: ['REFUSED', false],
  1001: ['RESTART', true],
  1003: ['BINARY', false],
  1008: ['TOO_MANY_FRAGMENTS', false],
  1009: ['TOO_BIG', false],
  4000: ['MALFORMED', false],
  4001: ['KEY_UNKNOWN', false],
  4003: ['NO_PLAN', false],
  4008: ['SLOW_CONSUMER', true],
  4009: ['DISCONNECTED', false],
  4029: ['CONNECTION_LIMIT', true],
}

/** The error of a line that ended so, on the service at `docsUrl`. */
export function errorOfEnding({ code, status, reason, cause }: Ending, docsUrl: string): PairwireError {
  const number = status ?? code
  const [errorType, comeBack] = ENDINGS[number] ?? ['LINE_LOST', true]
  const message = reason || `The connection ended (${number}).`
  return errorOf(number, errorType, message, { docs: docsOf(docsUrl, errorType), comeBack, cause })
}

/** What the service answers to a request that it refuses. */
export type AnswerError = Readonly<{
  code: number
  message: string
  data?: Readonly<{ errorType?: string; docs?: string; oldest?: string | null }>
}>

/** The error of a refused request. */
export function errorOfAnswer({ code, message, data }: AnswerError, docsUrl: string): PairwireError {
  const errorType = data?.errorType ?? 'REQUEST_FAILED'
  return errorOf(code, errorType, message, {
    docs: data?.docs ?? docsOf(docsUrl, errorType),
    comeBack: isPassing(code),
  })
}

/** The error of a subscription that the service has ended while the line stays. */
export function errorOfClosed(errorType: string, reason: string, docsUrl: string): PairwireError {
  const codes: Readonly<Record<string, number>> = STREAM_ERROR_TYPES
  return errorOf(codes[errorType] ?? 0, errorType, reason, { docs: docsOf(docsUrl, errorType) })
}

/** The error of a use that cannot work; `reason` is what somebody else said of it. */
export function usageError(errorType: SdkErrorType, docsUrl: string, reason?: Error): UsageError {
  const message = [SDK_ERROR_TYPES[errorType], reason?.message].filter(Boolean).join(' ')
  return new UsageError(errorType, message, { docs: docsOf(docsUrl, errorType), cause: reason })
}

/** The error of a line that is not there. */
export function lineError(
  errorType: SdkErrorType,
  docsUrl: string,
  facts: Readonly<{ message?: string | undefined; comeBack?: boolean; cause?: unknown }> = {},
): ConnectionError {
  const { message = SDK_ERROR_TYPES[errorType], ...rest } = facts
  return new ConnectionError(errorType, message, { docs: docsOf(docsUrl, errorType), ...rest })
}

/** Whether a refused request may be asked again as it is. */
export function isPassing(code: number): boolean {
  return code === STREAM_ERROR_TYPES.TOO_MANY_REQUESTS || code === STREAM_ERROR_TYPES.INTERNAL_ERROR
}

/** Address of an error's page on the service that serves `docsUrl`. */
export function docsOf(docsUrl: string, errorType: string): string {
  return `${docsUrl}/errors/${pageOf(errorType)}`
}

function pageOf(errorType: string): string {
  return errorType.toLowerCase().replaceAll('_', '-')
}
