export { CallNotes } from './call-notes.ts'
export {
  type CallCounter,
  type CallTally,
  createCallTally,
  type ProgramCalls,
} from './call-tally.ts'
export { createLogsDecoder, type DecodedLogs, LOG_DECODERS, type LogsDecoder } from './decode-logs.ts'
export * from './decode-transaction.ts'
export * from './decoded.ts'
export type { LogDecoder } from './log-decoder.ts'
export * from './malformed-transaction-error.ts'
export { isOnCurve } from './program-address.ts'
export { curveKey } from './pumpfun/curve-key.ts'
export * from './read-rpc-transaction.ts'
export type { RefusalReason } from './refused.ts'
export { ASKED_PROGRAMS, QUOTING_PROGRAMS } from './registry.ts'
export { TOKEN_PROGRAM } from './spl-token/layout.ts'
export {
  type MetadataState,
  type MintState,
  metaplexAccountOf,
  readMetadataState,
  readMintState,
} from './spl-token/token-accounts.ts'
export type { TokenChange } from './token-changes.ts'
export * from './transaction.ts'
export { writeRpcTransaction } from './write-rpc-transaction.ts'
