import { STREAM_ERROR_TYPES } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { errorOfAnswer, errorOfClosed, errorOfEnding, isPassing } from './errors.ts'

const DOCS = 'https://stream.example/docs'

/** The class for each error code of the stream. */
const CLASS_OF: Readonly<Record<number, string>> = {
  [-32_700]: 'RequestError',
  [-32_600]: 'RequestError',
  [-32_601]: 'RequestError',
  [-32_602]: 'RequestError',
  [-32_603]: 'ConnectionError',
  [-32_010]: 'RequestError',
  [-32_011]: 'PlanError',
  [-32_012]: 'PlanError',
  [-32_013]: 'PlanError',
  [-32_014]: 'CursorError',
  [-32_015]: 'PlanError',
  [-32_029]: 'ConnectionError',
}

describe('errors', () => {
  it.each(Object.entries(STREAM_ERROR_TYPES))(
    'gives the answer %s the class of its code',
    (errorType, code) => {
      const docs = `${DOCS}/errors/of-the-service`
      const error = errorOfAnswer({ code, message: 'The sentence.', data: { errorType, docs } }, DOCS)

      expect(error).toMatchObject({ errorType, code, docs, name: CLASS_OF[code], message: 'The sentence.' })
      expect(error.comeBack).toBe(isPassing(code))
    },
  )

  it.each(['FILTER_REQUIRED', 'FILTER_TOO_LARGE', 'PLAN_USED_UP', 'NO_ORDER'] as const)(
    'gives a subscription that ends with %s the code of the contract',
    (errorType) => {
      const error = errorOfClosed(errorType, 'The sentence.', DOCS)

      expect(error).toMatchObject({ name: 'PlanError', code: STREAM_ERROR_TYPES[errorType] })
      expect(error.docs).toBe(`${DOCS}/errors/${errorType.toLowerCase().replaceAll('_', '-')}`)
    },
  )

  it.each([
    [400, 'ConnectionError', false],
    [401, 'KeyError', false],
    [403, 'PlanError', false],
    [404, 'ConnectionError', false],
    [426, 'ConnectionError', false],
    [429, 'ConnectionError', true],
    [500, 'ConnectionError', true],
    [503, 'ConnectionError', true],
  ])('maps an upgrade refused with %d to %s, retried: %s', (code, name, comeBack) => {
    const error = errorOfEnding({ code, reason: 'The sentence.' }, DOCS)

    expect(error).toMatchObject({ name, comeBack, code, message: 'The sentence.' })
  })

  it.each([
    '<html>\r\n<head><title>502 Bad Gateway</title></head></html>',
    '\n<!DOCTYPE html><p>Bad gateway',
  ])('puts the status in place of the page of a proxy: %j', (reason) => {
    const { message } = errorOfEnding({ code: 502, reason }, DOCS)

    expect(message).toBe('The connection ended (502).')
  })
})
