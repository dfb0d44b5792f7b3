import type { CloseReasonName, ErrorType, STREAM_ERROR_CODES } from '@pairwire/contract'

/** What happened, and what to do about it. */
export type Advice = Readonly<{ happened: string; remedy: string }>

/** For the stream's error codes. */
export const STREAM_ADVICE: Readonly<Record<keyof typeof STREAM_ERROR_CODES, Advice>> = {
  parseError: {
    happened: 'The frame is not JSON. The message names the line and the column of the fault.',
    remedy:
      'Send one JSON object a frame. Check for trailing commas, single quotes and text around the object.',
  },
  invalidRequest: {
    happened: 'The frame is JSON, but not a request: it is a list, a bare value, or has no method.',
    remedy:
      'Send {"id":1,"method":"swapSubscribe","params":{}}. Batches are not taken: send them one by one.',
  },
  methodNotFound: {
    happened: 'There is no method of this name. The message names the closest one.',
    remedy: 'Use one of the methods of the table in the docs; spelling and case count.',
  },
  invalidParams: {
    happened: 'The method is known, but its params are not of the expected form.',
    remedy:
      'Read the message: it names the field. Filters stand in params.include, lists may not be empty, and addresses are base58 of 32 bytes.',
  },
  internalError: {
    happened: 'The fault is on our side.',
    remedy:
      'Send the request again in a moment. If it stays, write to support with the time and the request.',
  },
  alreadySubscribed: {
    happened: 'This connection has a subscription of this kind already. The first one goes on.',
    remedy:
      'Change it with updateSubscriptionParams, or end it first. One subscription holds all your tokens: put them into one list.',
  },
  planForbids: {
    happened: 'Your plan does not allow this subscription, for example all swaps without a filter.',
    remedy: 'Add a filter in params.include, or choose a larger plan.',
  },
  filterTooLarge: {
    happened: 'The filter holds more accounts than your plan allows. All three lists count together.',
    remedy: 'Name fewer accounts, or choose a larger plan.',
  },
  planUsedUp: {
    happened: 'The swap events of this billing period are used up. New pairs go on.',
    remedy: 'Wait for the next period, which the account page shows, or choose a larger plan.',
  },
  cursorTooOld: {
    happened: 'What follows this cursor is no longer held, or it comes from another deployment.',
    remedy: 'Subscribe without a cursor, or with the oldest one that the error names.',
  },
  tooManyRequests: {
    happened: 'More than 20 requests a second came over this connection, after a burst of 100.',
    remedy: 'Send fewer requests: one subscription holds many accounts. Events are not affected.',
  },
}

/** For the reasons for which the gateway hangs up. */
export const CLOSE_ADVICE: Readonly<Record<CloseReasonName, Advice>> = {
  restart: {
    happened: 'The service restarts, mostly for an update.',
    remedy: 'Connect again after a second or two, with a little chance in the delay.',
  },
  idle: {
    happened: 'Nothing came from your side for 60 seconds, not even an answer to a ping.',
    remedy: 'Let your websocket library answer pings, which most do by themselves, and connect again.',
  },
  binary: {
    happened: 'A binary frame came.',
    remedy: 'Send text frames. In many libraries that means a string in place of a buffer.',
  },
  tooBig: {
    happened: 'A frame was larger than 256 KiB.',
    remedy: 'Split long lists of accounts, and look for text that was sent twice.',
  },
  malformed: {
    happened: 'More than 20 frames within 10 seconds could not be answered.',
    remedy: 'Read the requestFailed frames that came before: each names its fault. Then correct the program.',
  },
  keyUnknown: {
    happened: 'The API key is not known, or it was reset while the connection was open.',
    remedy: 'Copy the present key from the account page.',
  },
  noPlan: {
    happened: 'The account has no active plan: the trial ended, or the subscription ran out.',
    remedy: 'Choose a plan on the upgrade page, then connect again.',
  },
  slowConsumer: {
    happened: 'Your program read more slowly than events came, until the queue kept for it was full.',
    remedy:
      'Do the work outside the handler that reads, ask for fewer events with a filter, and connect again.',
  },
  disconnected: {
    happened: 'Someone with access to the account pressed Disconnect All.',
    remedy: 'Connect again when you mean to. Reset the key if it was not you.',
  },
  connectionLimit: {
    happened: 'All connections of the plan are open elsewhere.',
    remedy: 'Close the other program, or press Disconnect All on the account page. Then connect again.',
  },
}

/** For the error types of the HTTP API. */
export const HTTP_ADVICE: Readonly<Record<ErrorType, Advice>> = {
  ERR_VALIDATION: {
    happened: 'The body of the call is not of the expected form.',
    remedy: 'Read the message: it names the field. Bodies are JSON, with the content type application/json.',
  },
  BLOCKED_EMAIL_DOMAIN: {
    happened: 'The email belongs to a service for throw-away addresses.',
    remedy: 'Register with another address.',
  },
  ACTIVE_SUBSCRIPTION: {
    happened: 'The account has a paid subscription that would renew.',
    remedy: 'Cancel the subscription, then delete the account.',
  },
  CAPTCHA_FAILED: {
    happened: 'The captcha is wrong, older than five minutes, or was used before.',
    remedy: 'Ask for a new challenge. Each one is good for a single call, whether it succeeds or not.',
  },
  ERR_LOGIN_REQUIRED: {
    happened:
      'The session is missing or has ended, the login link was used or is old, or the email is unknown.',
    remedy: 'Ask for a new login link. A link works once and for 15 minutes.',
  },
  ERR_FORBIDDEN: { happened: 'This account may not do that.', remedy: 'Write to support if it should.' },
  ERR_NOT_FOUND: {
    happened: 'There is nothing at this address.',
    remedy: 'Check the path for a missing part.',
  },
  ERR_METHOD_NOT_ALLOWED: {
    happened: 'The address exists but takes another method.',
    remedy: 'Use the method that the Allow header names.',
  },
  ERR_CONFLICT: { happened: 'The email is registered already.', remedy: 'Sign in instead.' },
  TRIAL_USED: {
    happened:
      'The free trial was used already. It is given once per user, also after the account was deleted.',
    remedy: 'Choose a plan.',
  },
  SUBSCRIPTION_EXISTS: {
    happened: 'The account has a plan already.',
    remedy: 'Cancel it first, or wait until it has run out.',
  },
  ERR_TOO_LARGE: { happened: 'The body of the call is larger than 64 KiB.', remedy: 'Send less.' },
  ERR_RATE_LIMITED: {
    happened: 'Too many calls came from one address, for one email or from one account.',
    remedy: 'Wait for as many seconds as the Retry-After header says.',
  },
  ERR_UNKNOWN: {
    happened: 'The fault is on our side.',
    remedy: 'Try again in a moment. If it stays, write to support.',
  },
  ERR_UNAVAILABLE: {
    happened: 'A part that the call needs does not answer: the mail server, the captcha or the database.',
    remedy: 'Try again in a minute. The status page says what is away.',
  },
}
