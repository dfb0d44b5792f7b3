/** Milliseconds in which a request must arrive completely: its head and its body. */
export const REQUEST_TIMEOUT_MS = 15_000

/** Largest request body in bytes; the largest in use is a captcha's token of 16 KiB. */
export const BODY_MAX_BYTES = 64 * 1024

/** Mails per hour that one address can cause for one email. */
export const MAILS_PER_ADDRESS = 5

/** Mails per hour that can be caused for one email, from everywhere. */
export const MAILS_PER_EMAIL = 50

/** Calls per minute and account. */
export const CALLS_PER_ACCOUNT = 120
