import { describe, expect, it } from 'vitest'
import { noAnswer, readApiError } from './api-error.ts'

describe('the error of an answer', () => {
  it.each([
    [401, 'ERR_LOGIN_REQUIRED'],
    [403, 'ERR_FORBIDDEN'],
    [404, 'ERR_NOT_FOUND'],
    [409, 'ERR_CONFLICT'],
    [429, 'ERR_RATE_LIMITED'],
  ])('depends on the status alone at %i', (status, errorType) => {
    const error = readApiError(status, { errorType: 'TRIAL_USED', errorMessage: 'The free trial was used.' })

    expect(error.errorType).toBe(errorType)
    expect(error.message).toBe('The free trial was used.')
  })

  it('depends on the body at any other status', () => {
    const error = readApiError(400, { errorType: 'ACTIVE_SUBSCRIPTION', errorMessage: 'Cancel it first.' })

    expect(error).toMatchObject({ errorType: 'ACTIVE_SUBSCRIPTION', serverMessage: 'Cancel it first.' })
  })

  it.each([
    undefined,
    null,
    'Bad gateway',
    42,
    [],
    {},
    { errorType: '', errorMessage: null },
    { errorType: 7 },
  ])('is the unknown one when the body is %j', (body) => {
    const error = readApiError(502, body)

    expect(error.errorType).toBe('ERR_UNKNOWN')
    expect(error.serverMessage).toBeUndefined()
    expect(error.message).toBe('There was an unexpected error. Please try again.')
  })

  it('is the unknown one without an answer', () => {
    expect(noAnswer()).toMatchObject({
      errorType: 'ERR_UNKNOWN',
      message: 'There was an unexpected error. Please try again.',
    })
  })
})
