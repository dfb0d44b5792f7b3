/**
 * Every sentence of the product's specification that people see, letter for letter; those of the console are in its
 * `words.ts`. Do not correct their spelling: the test beside this file compares each with a list of its own.
 */

/** A call got no answer. */
export const UNEXPECTED_ERROR = 'There was an unexpected error. Please try again.'

/** Any failure of a login, a registration or a deletion that has no words of its own. */
export const UNKNOWN_ERROR = 'Sorry, an unknown error occoured. Please try again later.'

/** What the forms of login and registration say. */
export const SIGN_IN_WORDS = {
  emailMissing: 'Please enter an email address',
  originMissing: 'Please select how you found us',
  termsMissing: 'Please agree to our terms and privacy policy',
  disclaimerMissing: 'Please agree to our disclaimer',
  captchaMissing: 'Recaptcha not loaded',
  loginRefused: 'Invalid email. Please try again...',
  domainBlocked: 'Blocked email domain. Please register with a different email address.',
  emailKnown: 'Email already registered. Please try again...',
} as const

/** What the account page says after its actions. */
export const ACCOUNT_WORDS = {
  subscriptionUpdated:
    'Subscription updated successfully. It may take a moment to change... please refresh the page.',
  deleted: 'Success, account deleted.',
  disconnected: 'Success, disconnected all connections.',
  keyReset: 'Success, key reset successfully.',
  disconnectFailed: 'Failed to disconnect connections. Please try again.',
  resetFailed: 'Failed to reset key. Please try again.',
  manageFailed: 'Failed to manage subscription. Please try again later.',
} as const

/** What choosing a plan says. */
export const UPGRADE_WORDS = {
  trialStarted: 'Success, free trial started.',
  trialFailed: 'Failed to start free trial. Please try again later.',
} as const

/** The payment page's only words. */
export const PAYMENT_WORDS = 'Follow Payment Screen Instructions...'
