export { isOnCurve } from './bytes/program-address.ts'
export {
  type CallCounter,
  CallNotes,
  type CallTally,
  createCallTally,
  type ProgramCalls,
} from './call-tally.ts'
export { createLogsDecoder, type DecodedLogs, LOG_DECODERS, type LogsDecoder } from './decode-logs.ts'
export * from './decode-transaction.ts'
export * from './decoded.ts'
export type { LogDecoder } from './logs/log-decoder.ts'
export { curveKey } from './programs/pumpfun/curve-key.ts'
export type { RefusalReason } from './refused.ts'
export { ASKED_PROGRAMS, QUOTING_PROGRAMS } from './registry.ts'
export { METADATA_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './tokens/layout.ts'
export {
  type MetadataState,
  type MintState,
  metaplexAccountOf,
  readMetadataState,
  readMintState,
} from './tokens/token-accounts.ts'
export type { TokenChange } from './tokens/token-changes.ts'
export * from './transaction/malformed-transaction-error.ts'
export * from './transaction/read-rpc-transaction.ts'
export { writeRpcTransaction } from './transaction/write-rpc-transaction.ts'
export * from './transaction.ts'
