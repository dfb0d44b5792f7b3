import { type Plan, planById } from '@pairwire/contract/plans'
import type { StreamErrorType } from '@pairwire/contract/stream-error-types'
import { STREAM_LIMIT_WORDS, STREAM_LIMITS } from '@pairwire/contract/stream-limits'

/** A correct swap subscribe, for people. */
export function rightForm(field = 'walletAccount'): string {
  const value = field === 'usdValue' ? '10000' : '["…"]'
  return `{"method":"swapSubscribe","params":{"include":{"${field}":${value}}}}`
}

const [NEW_PAIRS_ONLY, BASIC] = [planById(1)!, planById(2)!]

/** The alternative to a second subscription of a kind. */
export const CHANGE_IT = 'Update its filter with updateSubscriptionParams instead of opening a second one'

/** The stream's sentence for each mistake; the defaults are the docs' examples. */
export const STREAM_SENTENCES = {
  NOT_JSON: (line = 1, column = 34) => `The frame is not JSON: see line ${line}, column ${column}.`,
  BATCH: () => 'Batches are not accepted. Send one object per frame.',
  NOT_A_REQUEST: () => 'A frame must hold one JSON object, such as {"method":"ping"}.',
  TOO_MANY_MEMBERS: () =>
    `A frame may hold at most ${STREAM_LIMITS.frameMaxMembers} members, lists and objects, and ${STREAM_LIMIT_WORDS.values} values.`,
  UNKNOWN_METHOD: (name = '"swapsSubscribe"', hint = 'Did you mean swapSubscribe?') =>
    `There is no method ${name}. ${hint}`,
  INVALID_PARAMS: () => 'params must be an object, or be left out.',
  FILTER_OUTSIDE_PARAMS: (name = 'include', form = rightForm()) => `${name} is outside params. Send ${form}.`,
  FILTER_OUTSIDE_INCLUDE: (field = 'baseTokenMint') =>
    `${field} belongs in params.include, as in ${rightForm(field)}.`,
  EMPTY_LIST: (place = 'include.walletAccount', entry = 'address', name = 'walletAccount') =>
    `${place} is an empty list. Name at least one ${entry}, or leave ${name} out.`,
  NOT_A_LIST: (place = 'include.walletAccount', entries = 'addresses', name = 'walletAccount') =>
    `${place} must be a list of ${entries}: "${name}":["…"].`,
  INVALID_ADDRESS: (place = 'include.baseTokenMint[1]', value = '"So1111"') =>
    `${place} is not an address (base58 of 32 bytes): ${value}.`,
  INVALID_USD_VALUE: () =>
    'include.usdValue must be a number of US dollars, 0 or more, without quotes: "usdValue":10000.',
  UNKNOWN_FILTER_FIELD: (place = 'include', name = '"walletAcount"', hint = 'Did you mean walletAccount?') =>
    `${place} has no field ${name}. ${hint}`,
  NOT_AVAILABLE: (
    what = 'commitment "processed"',
    why = 'the source of this service gives confirmed data only',
  ) => `${what} is not available here: ${why}. Leave it out.`,
  INVALID_CURSOR: (value = '"latest"') =>
    `resume_from is not a cursor: ${value}. Send one exactly as you received it with an event: "resume_from":"…".`,
  UNKNOWN_SUBSCRIPTION: (id = '5', hint = 'Open: 1, 2.') =>
    `There is no subscription ${id} on this connection. ${hint}`,
  INTERNAL_ERROR: () => 'The request failed on our side. Try again.',
  REPLAY_AWAY: () => 'The archive is away; try again in a minute.',
  ALREADY_SUBSCRIBED: (kind = 'swap', id = 2, hint = `${CHANGE_IT}: one filter holds all your tokens.`) =>
    `This connection already has a ${kind} subscription (number ${id}). ${hint}`,
  FILTER_REQUIRED: ({ name }: Plan = BASIC) =>
    `${name} needs a filter. Add accounts or a usdValue above 0 to params.include, as in ${rightForm()}.`,
  FILTER_TOO_LARGE: ({ name, swapFilterAccounts }: Plan = BASIC, accounts = swapFilterAccounts + 1) =>
    `The filter names ${accounts} accounts. ${name} allows ${swapFilterAccounts} in all its lists together.`,
  PLAN_USED_UP: ({ name, swapEventsPerPeriod }: Plan = NEW_PAIRS_ONLY) =>
    `You have used all ${swapEventsPerPeriod?.toLocaleString('en-US')} swap events of ${name} for this billing period. Your other streams continue.`,
  CURSOR_TOO_OLD: (oldest: string | null = '000000000-000432287605-000000-0000') =>
    oldest === null
      ? 'The events after this cursor are no longer kept, and no others are. Leave resume_from out.'
      : `The events after this cursor are no longer kept. The oldest cursor that is kept is ${oldest}. Resume from there, or leave resume_from out.`,
  CURSOR_AHEAD: () =>
    `The stream did not reach this cursor within ${STREAM_LIMIT_WORDS.ahead} s. Resume from a cursor of this deployment, or leave resume_from out.`,
  NO_ORDER: (hour = '2026-11-23 13:00', sample: string | null = '20261101-000000') =>
    `You have no order for ${hour} UTC. Buy it in the shop${sample === null ? '' : `, or replay the sample hour ${sample}`}.`,
  TOO_MANY_REQUESTS: () =>
    `More than ${STREAM_LIMITS.requestsPerSecond} requests or ${STREAM_LIMIT_WORDS.requestBytes} a second. Wait a moment before the next.`,
} satisfies Record<StreamErrorType, (...given: never[]) => string>
