import {
  type CloseReasonName,
  type ErrorType,
  STREAM_LIMITS as LIMITS,
  type StreamErrorType,
  STREAM_LIMIT_WORDS as WORDS,
} from '@pairwire/contract'

/** What happened, and what to do about it. */
type Advice = Readonly<{ happened: string; remedy: string }>

/** For the stream's `data.errorType`. */
export const STREAM_ADVICE: Readonly<Record<StreamErrorType, Advice>> = {
  NOT_JSON: {
    happened: 'The frame is not JSON. The message names the line and the column of the fault.',
    remedy:
      'Send one JSON object per frame. Look for trailing commas, single quotes and text around the object.',
  },
  BATCH: {
    happened: 'The frame is a list of requests.',
    remedy: 'Send each request in its own frame.',
  },
  NOT_A_REQUEST: {
    happened:
      'The frame is JSON but not a request: it is a bare value, or its method is missing or is not a string.',
    remedy: 'Send an object such as {"id":1,"method":"swapSubscribe","params":{}}.',
  },
  TOO_MANY_MEMBERS: {
    happened: `The frame holds more than ${LIMITS.frameMaxMembers} members, lists and objects, or more than ${WORDS.values} values.`,
    remedy: 'Send only what the request needs: a filter has few names and three lists, which may be long.',
  },
  UNKNOWN_METHOD: {
    happened: 'No method has this name. The message names the closest one.',
    remedy: 'Use one of the methods listed in the docs. Names are case-sensitive.',
  },
  INVALID_PARAMS: {
    happened: 'The params of the method are missing or do not have the expected form.',
    remedy: 'Read the message: it names the field and shows the right form.',
  },
  FILTER_OUTSIDE_PARAMS: {
    happened: 'A filter or timestamps is beside params. The service does not read it there.',
    remedy: 'Move it into params: {"method":"swapSubscribe","params":{"include":{…}}}.',
  },
  FILTER_OUTSIDE_INCLUDE: {
    happened: 'A filter is in params but not in its include.',
    remedy: 'Move it one level down: {"params":{"include":{"baseTokenMint":["…"]}}}.',
  },
  EMPTY_LIST: {
    happened: 'A list of the filter is empty. That could mean everything or nothing, so it is refused.',
    remedy: 'Name at least one entry, or leave the list out.',
  },
  NOT_A_LIST: {
    happened: 'A field of the filter needs a list but has a single value.',
    remedy: 'Put the value into brackets, even a single one: "baseTokenMint":["…"].',
  },
  INVALID_ADDRESS: {
    happened: 'An entry of a list is not a base58 address of 32 bytes. The message says which one.',
    remedy: 'Copy the complete address again, without spaces.',
  },
  INVALID_USD_VALUE: {
    happened: 'usdValue is not a number of 0 or more.',
    remedy: 'Send it without quotes, signs or separators: "usdValue":10000.',
  },
  UNKNOWN_FILTER_FIELD: {
    happened: 'include or exclude has a field that does not exist.',
    remedy: 'Use ammAccount, walletAccount or baseTokenMint. include also takes usdValue.',
  },
  NOT_AVAILABLE: {
    happened:
      'The request asks for commitment "processed", but the source of this service only has confirmed data.',
    remedy: 'Leave commitment out. The rest of the request works as is.',
  },
  INVALID_CURSOR: {
    happened: 'resume_from is not a cursor from this service.',
    remedy: 'Send the complete cursor of an event, unchanged and as a string.',
  },
  UNKNOWN_SUBSCRIPTION: {
    happened: 'This connection has no such subscription, or it is a different kind.',
    remedy: 'Use the subscription_id from the answer to your subscribe. Ids belong to one connection.',
  },
  INTERNAL_ERROR: {
    happened: 'Something failed on our side.',
    remedy:
      'Send the request again in a moment. If it fails again, write to support with the time and the request.',
  },
  ALREADY_SUBSCRIBED: {
    happened: 'This connection already has a subscription of this kind. That one stays open.',
    remedy:
      'Change it with updateSubscriptionParams, or unsubscribe first. One subscription can hold all your tokens: put them into one list.',
  },
  FILTER_REQUIRED: {
    happened: 'Your plan needs a filter for swaps, and the request has none.',
    remedy: 'Name addresses or a usdValue in params.include, or choose a larger plan.',
  },
  FILTER_TOO_LARGE: {
    happened:
      'The filter holds more accounts than your plan allows. The lists of include and of exclude count together.',
    remedy: 'Name fewer accounts, or choose a larger plan.',
  },
  PLAN_USED_UP: {
    happened: 'The swap events of this billing period are used up. New pairs still arrive.',
    remedy: 'Wait for the next period, or choose a larger plan.',
  },
  CURSOR_TOO_OLD: {
    happened:
      'The events after this cursor are no longer kept. data.oldest is the oldest cursor that you can resume from, or null if there is none.',
    remedy: 'Resume from data.oldest, or leave resume_from out. Earlier events are lost.',
  },
  CURSOR_AHEAD: {
    happened:
      'The stream did not reach the cursor within five seconds. It comes from another deployment or another source.',
    remedy: 'Leave resume_from out, or resume from data.oldest.',
  },
  TOO_MANY_REQUESTS: {
    happened: `This account sent more than ${LIMITS.requestsPerSecond} requests or ${WORDS.requestBytes} a second, beyond bursts of ${LIMITS.requestsBurst} requests and ${WORDS.requestBytesBurst}. All its connections share these limits, and reconnecting does not reset them. Or it resumed more than ${LIMITS.resumesPerMinute} times within a minute.`,
    remedy: 'Send fewer requests: one subscription holds many accounts. Events are not affected.',
  },
}

/** For the reasons why the gateway closes a connection. */
export const CLOSE_ADVICE: Readonly<Record<CloseReasonName, Advice>> = {
  restart: {
    happened: 'The service is restarting, usually for an update.',
    remedy:
      'Reconnect after a random delay of one to two seconds. Subscribe with resume_from set to the cursor in the last frame.',
  },
  idle: {
    happened: `The service closes a connection that sends nothing for ${WORDS.idle} s. Yours did not even answer a ping.`,
    remedy: 'Let your websocket library answer pings. Most do this automatically. Then reconnect.',
  },
  binary: {
    happened: 'Your program sent a binary frame.',
    remedy: 'Send text frames. In many libraries that means passing a string instead of a buffer.',
  },
  tooManyFragments: {
    happened: `A frame arrived in more than ${WORDS.fragments} fragments.`,
    remedy: 'Send each request as one frame. Most libraries do this if you pass them the whole text at once.',
  },
  tooBig: {
    happened: `A frame was larger than ${WORDS.frame}. A filter of 1,000 addresses takes 47 KB.`,
    remedy: 'Look for text that you send twice and for addresses that a list holds twice.',
  },
  malformed: {
    happened: `Within 10 seconds your program sent more than ${LIMITS.failuresPerTenSeconds} frames that the service could not answer.`,
    remedy: 'Read the requestFailed frames before the close: each one names a fault. Then fix the program.',
  },
  keyUnknown: {
    happened: 'The API key is unknown, or it was reset while the connection was open.',
    remedy: 'Copy the current key from the account page.',
  },
  noPlan: {
    happened: 'The account has no active plan: the trial or the subscription ended.',
    remedy: 'Choose a plan on the upgrade page, then reconnect.',
  },
  slowConsumer: {
    happened: `Your program read more slowly than events arrived, and its queue filled up. The service still sent the queued events, for up to ${WORDS.drain} seconds, unless it was short of memory.`,
    remedy:
      'Reconnect at once. Set resume_from to the cursor in the last frame, or to the last one you read. Read in one place and work in another, and use a filter to get fewer events.',
  },
  streamAway: {
    happened:
      'Your program resumed, and for more than five seconds the service could not read the missed events. Nothing is lost.',
    remedy: 'Reconnect in a moment with the same cursor in resume_from.',
  },
  disconnected: {
    happened: 'Someone with access to the account pressed Disconnect All.',
    remedy: 'Reconnect when you like. If it was not you, reset the key.',
  },
  connectionLimit: {
    happened: 'All connections of the plan are open, and each one just answered a ping.',
    remedy: 'Close another program, or press Disconnect All on the account page. Then reconnect.',
  },
}

/** For the error types of the HTTP API. */
export const HTTP_ADVICE: Readonly<Record<ErrorType, Advice>> = {
  ERR_VALIDATION: {
    happened: 'The body of the call does not have the expected form.',
    remedy: 'Read the message: it names the field. Bodies are JSON, with the content type application/json.',
  },
  BLOCKED_EMAIL_DOMAIN: {
    happened: 'The email address belongs to a disposable email service.',
    remedy: 'Register with another address.',
  },
  ACTIVE_SUBSCRIPTION: {
    happened:
      'The account has a paid subscription that would renew, or the payment provider failed to end it.',
    remedy:
      'Cancel the subscription, then delete the account. If the payment provider did not answer, try again.',
  },
  CAPTCHA_FAILED: {
    happened: 'The captcha is wrong, older than five minutes, or already used.',
    remedy: 'Request a new challenge. Each one works for a single call, whether or not it succeeds.',
  },
  ERR_LOGIN_REQUIRED: {
    happened:
      'The session is missing or has ended, the login link was used or has expired, or the email is unknown.',
    remedy: 'Request a new login link. A link works once, for 15 minutes.',
  },
  ERR_FORBIDDEN: {
    happened: 'This account is not allowed to do that.',
    remedy: 'Write to support if it should.',
  },
  ERR_NOT_FOUND: {
    happened: 'There is nothing at this address.',
    remedy: 'Check the path for a missing part.',
  },
  ERR_METHOD_NOT_ALLOWED: {
    happened: 'The address exists but takes another method.',
    remedy: 'Use the method that the Allow header names.',
  },
  ERR_TIMEOUT: {
    happened: 'The request was not complete within 15 seconds.',
    remedy: 'Send it again over a faster connection, or send less.',
  },
  ERR_CONFLICT: { happened: 'The email is already registered.', remedy: 'Sign in instead.' },
  TRIAL_USED: {
    happened: 'You have already used the free trial. Each user gets one, even after deleting the account.',
    remedy: 'Choose a plan.',
  },
  SUBSCRIPTION_EXISTS: {
    happened: 'The account already has a plan.',
    remedy: 'Cancel it first, or wait until it ends.',
  },
  ERR_TOO_LARGE: { happened: 'The body of the call is larger than 64 KiB.', remedy: 'Send less.' },
  ERR_RATE_LIMITED: {
    happened: 'Too many calls from one address or one account.',
    remedy: 'Wait the number of seconds in the Retry-After header.',
  },
  ERR_UNKNOWN: {
    happened: 'Something failed on our side.',
    remedy: 'Try again in a moment. If it fails again, write to support.',
  },
  ERR_UNAVAILABLE: {
    happened: 'The mail server, the captcha service or the database does not answer.',
    remedy: 'Try again in a minute. The status page says what is down.',
  },
}
