/** Every `data.errorType` of the stream, with its code: JSON-RPC's, and ours from -32010 on. Each has a page in the docs. */
export const STREAM_ERROR_TYPES = {
  NOT_JSON: -32700,
  BATCH: -32600,
  NOT_A_REQUEST: -32600,
  TOO_MANY_MEMBERS: -32600,
  UNKNOWN_METHOD: -32601,
  INVALID_PARAMS: -32602,
  FILTER_OUTSIDE_PARAMS: -32602,
  FILTER_OUTSIDE_INCLUDE: -32602,
  EMPTY_LIST: -32602,
  NOT_A_LIST: -32602,
  INVALID_ADDRESS: -32602,
  INVALID_USD_VALUE: -32602,
  UNKNOWN_FILTER_FIELD: -32602,
  NOT_AVAILABLE: -32602,
  INVALID_CURSOR: -32602,
  UNKNOWN_SUBSCRIPTION: -32602,
  INTERNAL_ERROR: -32603,
  REPLAY_AWAY: -32603,
  ALREADY_SUBSCRIBED: -32010,
  FILTER_REQUIRED: -32011,
  FILTER_TOO_LARGE: -32012,
  PLAN_USED_UP: -32013,
  CURSOR_TOO_OLD: -32014,
  CURSOR_AHEAD: -32014,
  NO_ORDER: -32015,
  TOO_MANY_REQUESTS: -32029,
} as const satisfies Record<string, number>

/** Name of a {@link STREAM_ERROR_TYPES} entry. */
export type StreamErrorType = keyof typeof STREAM_ERROR_TYPES

/** The SDK's own error types for wrong use, with their sentences. Each has a page in the docs. */
export const SDK_ERROR_TYPES = {
  NO_URL: 'There is no address of a service: pass createPairwire({ url }), or set PAIRWIRE_URL.',
  NO_KEY: 'There is no API key: pass createPairwire({ key }), or set PAIRWIRE_KEY.',
  NO_WEBSOCKET: 'This runtime has no WebSocket: run npm i ws, or pass createPairwire({ WebSocket }).',
  ALREADY_READ: 'This stream has a reader: iterate it once, or listen once with on("event").',
  CURSORS_UNREADABLE: 'The cursor of this stream could not be loaded.',
  STREAM_ENDED: 'This stream has ended.',
} as const satisfies Record<string, string>

/** Its error types for connections, whose message varies, with the sentence of their page. */
export const SDK_LINE_ERRORS = { LINE_LOST: 'The connection ended.', REFUSED: 'The service refused it.' }
