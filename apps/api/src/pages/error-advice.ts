import type { CloseReasonName, ErrorType, StreamErrorType } from '@pairwire/contract'

/** What happened, and what to do about it. */
export type Advice = Readonly<{ happened: string; remedy: string }>

/** For the stream's `data.errorType`. */
export const STREAM_ADVICE: Readonly<Record<StreamErrorType, Advice>> = {
  NOT_JSON: {
    happened: 'The frame is not JSON. The message names the line and the column of the fault.',
    remedy:
      'Send one JSON object a frame. Look for trailing commas, single quotes and text around the object.',
  },
  BATCH: {
    happened: 'The frame is a list of requests.',
    remedy: 'Send each request in a frame of its own.',
  },
  NOT_A_REQUEST: {
    happened: 'The frame is JSON but no request: it is a bare value, or its method is missing or no text.',
    remedy: 'Send an object such as {"id":1,"method":"swapSubscribe","params":{}}.',
  },
  TOO_MANY_MEMBERS: {
    happened: 'The frame holds more than 256 members, lists and objects, or more than 4,096 values.',
    remedy: 'Send what the request needs: a filter has three lists, which may be long, and few names.',
  },
  UNKNOWN_METHOD: {
    happened: 'There is no method of this name. The message names the closest one.',
    remedy: 'Use one of the methods of the table in the docs; case counts.',
  },
  INVALID_PARAMS: {
    happened: 'The method is known, but its params are missing or not of the expected form.',
    remedy: 'Read the message: it names the field and shows the right form.',
  },
  FILTER_OUTSIDE_PARAMS: {
    happened: 'A filter, or timestamps, stands beside params and would be overlooked there.',
    remedy: 'Move it into params: {"method":"swapSubscribe","params":{"include":{…}}}.',
  },
  FILTER_OUTSIDE_INCLUDE: {
    happened: 'A filter stands in params but not in its include.',
    remedy: 'Move it one level down: {"params":{"include":{"baseTokenMint":["…"]}}}.',
  },
  EMPTY_LIST: {
    happened: 'A list of the filter is empty. It could mean all or nothing, so it is refused.',
    remedy: 'Name at least one entry, or leave the list out.',
  },
  NOT_A_LIST: {
    happened: 'A field of the filter that holds several entries is no list.',
    remedy: 'Put the entry into brackets, also a single one: "baseTokenMint":["…"].',
  },
  INVALID_ADDRESS: {
    happened: 'An entry of a list is not the base58 form of 32 bytes. The message names its place.',
    remedy: 'Copy the address again, whole and without spaces.',
  },
  INVALID_USD_VALUE: {
    happened: 'usdValue is not a number of 0 or more.',
    remedy: 'Send it without quotes, signs or separators: "usdValue":10000.',
  },
  UNKNOWN_FILTER_FIELD: {
    happened: 'include or exclude has a field that does not exist, so it would filter nothing.',
    remedy: 'Use ammAccount, walletAccount and baseTokenMint, and in include also usdValue.',
  },
  NOT_AVAILABLE: {
    happened: 'The request asks for something that this version does not have yet: commitment.',
    remedy: 'Leave it out. Other fields of the request work as they are.',
  },
  INVALID_CURSOR: {
    happened: 'resume_from is not a cursor of this service.',
    remedy: 'Send the cursor of an event as it came, as text and whole.',
  },
  UNKNOWN_SUBSCRIPTION: {
    happened: 'There is no such subscription on this connection, or it is of another kind.',
    remedy: 'Use the subscription_id from the answer to your subscribe. Ids belong to one connection.',
  },
  INTERNAL_ERROR: {
    happened: 'The fault is on our side.',
    remedy:
      'Send the request again in a moment. If it stays, write to support with the time and the request.',
  },
  ALREADY_SUBSCRIBED: {
    happened: 'This connection has a subscription of this kind already. The first one goes on.',
    remedy:
      'Change it with updateSubscriptionParams, or end it first. One subscription holds all your tokens: put them into one list.',
  },
  FILTER_REQUIRED: {
    happened: 'Your plan sends swaps through a filter only, and the request has none.',
    remedy: 'Name addresses or a usdValue in params.include, or choose a larger plan.',
  },
  FILTER_TOO_LARGE: {
    happened:
      'The filter holds more accounts than your plan allows. The lists of include and of exclude count together.',
    remedy: 'Name fewer accounts, or choose a larger plan.',
  },
  PLAN_USED_UP: {
    happened: 'The swap events of this billing period are used up. New pairs go on.',
    remedy: 'Wait for the next period, or choose a larger plan.',
  },
  CURSOR_TOO_OLD: {
    happened:
      'What follows the cursor is not held any more. data.oldest is the oldest cursor from which events can be had, null while there is none.',
    remedy: 'Resume from data.oldest, or leave resume_from out, and take what lies before as missed.',
  },
  CURSOR_AHEAD: {
    happened:
      'The stream has not come to the cursor within five seconds: it is of another deployment, or of another source.',
    remedy: 'Leave resume_from out, or resume from data.oldest.',
  },
  TOO_MANY_REQUESTS: {
    happened:
      'More than 20 requests or 1 MiB a second came from this account, after bursts of 100 and 4 MiB. Its connections share them, and a reconnect brings no fresh burst. Or more than 60 connections of one key have resumed within a minute.',
    remedy: 'Send fewer requests: one subscription holds many accounts. Events are not affected.',
  },
}

/** For the reasons for which the gateway hangs up. */
export const CLOSE_ADVICE: Readonly<Record<CloseReasonName, Advice>> = {
  restart: {
    happened: 'The service restarts, mostly for an update.',
    remedy:
      'Connect again after a second or two, with a little chance in the delay, and subscribe with the cursor that the last frame names in resume_from.',
  },
  idle: {
    happened: 'Nothing came from your side for 60 seconds, not even an answer to a ping.',
    remedy: 'Let your websocket library answer pings, which most do by themselves, and connect again.',
  },
  binary: {
    happened: 'A binary frame came.',
    remedy: 'Send text frames. In many libraries that means a string in place of a buffer.',
  },
  tooManyFragments: {
    happened: 'A frame came in more than 1,024 fragments.',
    remedy: 'Send each request as one frame. Most libraries do when they are given the whole text at once.',
  },
  tooBig: {
    happened: 'A frame was larger than 64 KiB. A filter of 1,000 addresses takes 47 KB.',
    remedy: 'Look for text that was sent twice, and for addresses that stand in a list twice.',
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
    happened:
      'Your program read more slowly than events came, until the queue kept for it was full. What was queued was still sent while it went on reading, for 60 seconds at most; only when the service ran short of memory was it dropped.',
    remedy:
      'Connect again at once and subscribe with the cursor that the last frame names, or the last that you have read, in resume_from. Do the work outside the handler that reads, and ask for fewer events with a filter.',
  },
  disconnected: {
    happened: 'Someone with access to the account pressed Disconnect All.',
    remedy: 'Connect again when you mean to. Reset the key if it was not you.',
  },
  connectionLimit: {
    happened: 'All connections of the plan are open elsewhere, and answered when they were just asked.',
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
    happened:
      'The account has a paid subscription that would renew, or one without a plan that the payment provider did not end.',
    remedy: 'Cancel the subscription, then delete the account. Where the provider did not answer, try again.',
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
  ERR_TIMEOUT: {
    happened: 'The head or the body of the call did not come in whole within 15 seconds.',
    remedy: 'Send it again, over a faster connection or with less in it.',
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
    happened: 'Too many calls came from one address or from one account.',
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
