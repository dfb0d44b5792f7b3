import { UNEXPECTED_ERROR } from '../specified-words.ts'

/**
 * A call that did not succeed. `errorType` is one of the contract's or whatever the server named; `message` is
 * what may be shown.
 */
export class ApiError extends Error {
  readonly errorType: string
  /** The server's own sentence, when it sent one. */
  readonly serverMessage: string | undefined
  /** Whether there was an answer at all. */
  readonly answered: boolean

  constructor(errorType: string, serverMessage?: string, answered = true) {
    super(serverMessage ?? UNEXPECTED_ERROR)
    this.name = 'ApiError'
    this.errorType = errorType
    this.serverMessage = serverMessage
    this.answered = answered
  }
}

/** Statuses that are sufficient: the body's own `errorType` is ignored. */
const BY_STATUS: Readonly<Record<number, string>> = {
  401: 'ERR_LOGIN_REQUIRED',
  403: 'ERR_FORBIDDEN',
  404: 'ERR_NOT_FOUND',
  409: 'ERR_CONFLICT',
  429: 'ERR_RATE_LIMITED',
}

/** Makes the error of an answer with this status and parsed body, of any form. */
export function readApiError(status: number, body: unknown): ApiError {
  const fields = typeof body === 'object' && body !== null ? body : {}
  const errorType = 'errorType' in fields ? readText(fields.errorType) : undefined
  const errorMessage = 'errorMessage' in fields ? readText(fields.errorMessage) : undefined
  return new ApiError(BY_STATUS[status] ?? errorType ?? 'ERR_UNKNOWN', errorMessage)
}

/** Makes the error of a call without an answer: no network, a timeout, or an invalid answer. */
export function noAnswer(): ApiError {
  return new ApiError('ERR_UNKNOWN', undefined, false)
}

function readText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
