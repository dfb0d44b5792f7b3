import { describe, expect, it } from 'vitest'
import { CONNECTION_ERROR, LOG_IN_FIRST, WEBSOCKET_CLOSED } from './features/console/words.ts'
import {
  ACCOUNT_WORDS,
  PAYMENT_WORDS,
  SIGN_IN_WORDS,
  UNEXPECTED_ERROR,
  UNKNOWN_ERROR,
  UPGRADE_WORDS,
} from './specified-words.ts'

/** Typed from the specification by hand, independently of the file under test. */
const SPECIFIED = [
  'Please enter an email address',
  'Please select how you found us',
  'Please agree to our terms and privacy policy',
  'Please agree to our disclaimer',
  'Recaptcha not loaded',
  'There was an unexpected error. Please try again.',
  'Invalid email. Please try again...',
  'Sorry, an unknown error occoured. Please try again later.',
  'Blocked email domain. Please register with a different email address.',
  'Email already registered. Please try again...',
  'Failed to disconnect connections. Please try again.',
  'Failed to reset key. Please try again.',
  'Failed to manage subscription. Please try again later.',
  'Failed to start free trial. Please try again later.',
  'Websocket closed',
  'Error connecting to websocket, check api key and connection.',
  'Please log in to start the stream...',
  'Success, account deleted.',
  'Success, disconnected all connections.',
  'Success, key reset successfully.',
  'Success, free trial started.',
  'Subscription updated successfully. It may take a moment to change... please refresh the page.',
  'Follow Payment Screen Instructions...',
]

describe('the specified words', () => {
  it('are the specification’s, letter for letter, and no others', () => {
    const ours = [
      UNEXPECTED_ERROR,
      UNKNOWN_ERROR,
      PAYMENT_WORDS,
      ...Object.values(SIGN_IN_WORDS),
      ...Object.values(ACCOUNT_WORDS),
      ...Object.values(UPGRADE_WORDS),
      CONNECTION_ERROR,
      WEBSOCKET_CLOSED,
      LOG_IN_FIRST,
    ]

    expect(ours.toSorted()).toEqual(SPECIFIED.toSorted())
  })
})
