import { describe, expect, it } from 'vitest'
import { noAnswer, readApiError } from '../../api/api-error.ts'
import { firstFault, loginFault, type RegisterForm, registerFault } from './sign-in-faults.ts'

describe('the registration form', () => {
  it('shows one error at a time, in the specified order', () => {
    const filled: Partial<RegisterForm>[] = [
      { email: 'mara@example.com', emailValid: true },
      { origin: 'friend' },
      { terms: true },
      { disclaimer: true },
    ]
    let form = anEmptyForm()
    const said = [firstFault(form)?.message]
    for (const step of filled) {
      form = { ...form, ...step }
      said.push(firstFault(form)?.message)
    }

    expect(said).toEqual([
      'Please enter an email address',
      'Please select how you found us',
      'Please agree to our terms and privacy policy',
      'Please agree to our disclaimer',
      undefined,
    ])
  })

  it('treats blanks and anything that is not an address as no email', () => {
    const rest = { origin: 'other', terms: true, disclaimer: true } as const

    expect(firstFault({ ...anEmptyForm(), ...rest, email: '  ', emailValid: true })?.place).toBe('email')
    expect(firstFault({ ...anEmptyForm(), ...rest, email: 'mara', emailValid: false })?.place).toBe('email')
  })
})

describe('a failed registration', () => {
  it('shows errors about the email under the email', () => {
    const blocked = readApiError(400, { errorType: 'BLOCKED_EMAIL_DOMAIN', errorMessage: 'No.' })

    expect(registerFault(blocked)).toEqual({
      place: 'email',
      message: 'Blocked email domain. Please register with a different email address.',
    })
    expect(registerFault(readApiError(409, undefined))).toEqual({
      place: 'email',
      message: 'Email already registered. Please try again...',
    })
  })

  it('shows anything else in the server’s words', () => {
    const error = readApiError(400, {
      errorType: 'ERR_VALIDATION',
      errorMessage: 'Please enter an email address',
    })

    expect(registerFault(error)).toEqual({ place: 'form', message: 'Please enter an email address' })
  })

  it('says that there was no answer when there was none', () => {
    expect(registerFault(noAnswer())).toEqual({
      place: 'form',
      message: 'There was an unexpected error. Please try again.',
    })
  })

  it('shows the general message where the server said nothing', () => {
    expect(registerFault(readApiError(500, undefined)).message).toBe(
      'Sorry, an unknown error occoured. Please try again later.',
    )
    expect(registerFault(new TypeError('x')).message).toBe(
      'Sorry, an unknown error occoured. Please try again later.',
    )
  })
})

describe('a failed login', () => {
  it('blames the email when the server does not know it, and nothing otherwise', () => {
    expect(loginFault(readApiError(401, {}))).toBe('Invalid email. Please try again...')
    expect(loginFault(readApiError(429, {}))).toBe(
      'Sorry, an unknown error occoured. Please try again later.',
    )
    expect(loginFault(noAnswer())).toBe('Sorry, an unknown error occoured. Please try again later.')
  })
})

function anEmptyForm(): RegisterForm {
  return { email: '', emailValid: false, origin: '', terms: false, disclaimer: false, marketing: false }
}
