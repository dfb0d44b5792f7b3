import { STREAM_ERROR_CODES, type StreamErrorCode } from './methods.ts'

const codes = STREAM_ERROR_CODES

/** Every `data.errorType` of the stream, with its code. Each has a page in the docs, named in kebab-case. */
export const STREAM_ERROR_TYPES = {
  NOT_JSON: codes.parseError,
  BATCH: codes.invalidRequest,
  NOT_A_REQUEST: codes.invalidRequest,
  TOO_MANY_MEMBERS: codes.invalidRequest,
  UNKNOWN_METHOD: codes.methodNotFound,
  INVALID_PARAMS: codes.invalidParams,
  FILTER_OUTSIDE_PARAMS: codes.invalidParams,
  FILTER_OUTSIDE_INCLUDE: codes.invalidParams,
  EMPTY_LIST: codes.invalidParams,
  NOT_A_LIST: codes.invalidParams,
  INVALID_ADDRESS: codes.invalidParams,
  INVALID_USD_VALUE: codes.invalidParams,
  UNKNOWN_FILTER_FIELD: codes.invalidParams,
  NOT_AVAILABLE: codes.invalidParams,
  INVALID_CURSOR: codes.invalidParams,
  UNKNOWN_SUBSCRIPTION: codes.invalidParams,
  INTERNAL_ERROR: codes.internalError,
  ALREADY_SUBSCRIBED: codes.alreadySubscribed,
  FILTER_REQUIRED: codes.planForbids,
  FILTER_TOO_LARGE: codes.filterTooLarge,
  PLAN_USED_UP: codes.planUsedUp,
  CURSOR_TOO_OLD: codes.cursorTooOld,
  CURSOR_AHEAD: codes.cursorTooOld,
  TOO_MANY_REQUESTS: codes.tooManyRequests,
} as const satisfies Record<string, StreamErrorCode>

/** Name of a {@link STREAM_ERROR_TYPES} entry. */
export type StreamErrorType = keyof typeof STREAM_ERROR_TYPES
