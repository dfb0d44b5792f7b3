export { answerOthers } from './answer-others.ts'
export { openChainReader } from './audit/chain-reader.ts'
export { reportAudit } from './audit/report-audit.ts'
export { createSampleAudit } from './audit/sample-audit.ts'
export { createIngest, type Ingest, type IngestParts } from './create-ingest.ts'
export { decodeFiles } from './decode-files.ts'
export { sourceMetrics } from './metrics.ts'
export { type OpenIngest, openConfiguredSource, openIngest } from './open-ingest.ts'
export { openPast, type Past } from './past/open-past.ts'
export { askRpc } from './sources/check/ask-rpc.ts'
export { checkSource } from './sources/check/check-source.ts'
export { historyOf, openSource, type SourceOptions } from './sources/open-source.ts'
export { blockTimeOf, createSimulator, MAX_SWAPS_PER_SECOND, SLOT_MS } from './sources/simulator.ts'
export type { Block, Source } from './sources/source.ts'
export { standInPages, TOKEN_PAGES_PATH } from './sources/stand-in-pages.ts'
export { lookUpTokens } from './tokens/look-up-tokens.ts'
export {
  createTokenMemory,
  openTokenMemory,
  type TokenMemory,
  type TokenMemoryOptions,
} from './tokens/token-memory.ts'
