import type { Log } from '@pairwire/basics'
import { AppError, ERROR_TYPES, type ErrorBody, type ErrorType, SUPPORT_EMAIL } from '@pairwire/contract'
import { quoted } from '@pairwire/filter'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod'
import { errorPath } from '../pages/error-pages.ts'
import { traceOf } from '../trace-of.ts'

/** Turns every error into the contract's `{errorType, errorMessage}`, including where to write; only bugs are logged. */
export function createErrorHandler(log: Log, supportEmail: string) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const { statusCode, headers = {} } = error as { statusCode?: number; headers?: Record<string, string> }
    if (statusCode === 416) return reply.code(416).headers(headers).send() // of a range beyond a file's end
    const refusal = refusalOf(error)
    if (!refusal) log.error('A call failed.', { route: request.routeOptions.url, ...traceOf(error) })
    const { errorType, message } = refusal ?? new AppError('ERR_UNKNOWN')
    return sendError(reply, new AppError(errorType, message.replace(SUPPORT_EMAIL, supportEmail)))
  }
}

/** Answers with an error of the contract. */
export function sendError(reply: FastifyReply, refusal: AppError): FastifyReply {
  // As a string, since the route's own schemas describe its successes.
  return reply
    .code(refusal.status)
    .header('cache-control', 'no-store')
    .header('link', `<${errorPath(refusal.errorType)}>; rel="help"`)
    .type('application/json; charset=utf-8')
    .serializer((text: string) => text)
    .send(JSON.stringify({ errorType: refusal.errorType, errorMessage: refusal.message } satisfies ErrorBody))
}

/** @returns undefined for a bug, which answers 500 */
export function refusalOf(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error
  if (hasZodFastifySchemaValidationErrors(error)) return validationRefusal(error.validation)

  const { code, statusCode } = error as Partial<FastifyError>
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new AppError('ERR_VALIDATION', 'Send JSON with the content type application/json.')
  }
  if (statusCode === 413) return new AppError('ERR_TOO_LARGE')
  if (statusCode === 404 || statusCode === 403) return new AppError('ERR_NOT_FOUND')
  if (statusCode === 503) return new AppError('ERR_UNAVAILABLE')
  return statusCode && statusCode >= 400 && statusCode < 500 ? new AppError('ERR_VALIDATION') : undefined
}

/** Fields in the order in which the register form checks them, with the form's sentence if it has one. */
const FORM_SENTENCES: Readonly<Record<string, string>> = {
  email: 'Please enter an email address',
  origin: 'Please select how you found us',
  recaptcha_token: 'Recaptcha not loaded',
}

function validationRefusal(
  faults: readonly { instancePath: string; params?: { keys?: string[] } }[],
): AppError {
  const fields = faults.map((fault) => fault.instancePath.split('/')[1] ?? '')
  const known = Object.keys(FORM_SENTENCES).find((field) => fields.includes(field))
  if (known) return new AppError('ERR_VALIDATION', FORM_SENTENCES[known])

  const unknown = faults[0]?.params?.keys?.[0]
  if (unknown !== undefined) return new AppError('ERR_VALIDATION', `There is no field ${quoted(unknown)}.`)
  const field = fields[0]
  if (!field) return new AppError('ERR_VALIDATION')
  return new AppError('ERR_VALIDATION', `The field ${field} is missing or does not have the expected form.`)
}

/** Body of an error as text, for answers that are written without Fastify. */
export function errorText(errorType: ErrorType): string {
  return JSON.stringify({ errorType, errorMessage: ERROR_TYPES[errorType].message } satisfies ErrorBody)
}
