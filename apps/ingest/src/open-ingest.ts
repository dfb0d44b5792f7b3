import { join } from 'node:path'
import { type Log, systemClock } from '@pairwire/basics'
import type { Bus } from '@pairwire/bus'
import type { SourceKind, SourceState, TokensAnswer } from '@pairwire/contract'
import type { OwnPages } from '@pairwire/public-fetch'
import { openChainReader } from './audit/chain-reader.ts'
import { createSampleAudit } from './audit/sample-audit.ts'
import type { Config } from './config.ts'
import { createIngest } from './create-ingest.ts'
import { isSettled } from './is-settled.ts'
import { openPages } from './metadata/open-pages.ts'
import { createRunCounter } from './run-counter.ts'
import { openRpc } from './sources/open-rpc.ts'
import { openSource } from './sources/open-source.ts'
import { askChain } from './sources/rpc/chain-of.ts'
import type { Source } from './sources/source.ts'
import { pagesOfSource } from './sources/stand-in-pages.ts'
import { lookUpTokens } from './tokens/look-up-tokens.ts'
import { openTokenMemory } from './tokens/token-memory.ts'

/** The settings that ingest uses. */
type IngestSettings = Pick<Config, 'dataFolder' | 'solanaSource' | 'solanaSourceTokens' | 'solanaRpcUrl'>

/** A source and its kind: what is kept of one kind does not apply to another. */
export type OpenedSource = Readonly<{
  source: Source
  kind: SourceKind
  /** Where this machine serves the tokens' pages: for the simulator or a stand-in chain; undefined otherwise. */
  ownPages: OwnPages | undefined
}>

/** Ingest with its source and its memory of tokens. */
export type OpenIngest = Readonly<{
  start(): void
  /** Resolves once the current block is published, the source closed and the memory written. */
  stop(): Promise<void>
  state(): SourceState
  /** Whether events flow, or there is nothing worth waiting for: a source that is away delays nothing. */
  isSettled(): boolean
  /** Returns the details known now, and looks up the others for a later call. */
  lookUpTokens(mints: readonly string[]): Promise<TokensAnswer['tokens']>
}>

/**
 * Opens the source that the settings name. The simulator's tokens have their pages at `pages`; without it, nothing on
 * this machine is fetched for a stand-in chain either.
 *
 * @throws Error with a sentence for people when they name none
 */
export function openConfiguredSource(config: IngestSettings, log: Log, pages?: OwnPages): OpenedSource {
  const { dataFolder, solanaSource, solanaSourceTokens: tokens, solanaRpcUrl: rpcUrl } = config
  const nextRun = createRunCounter(dataFolder)
  const clock = systemClock
  const source = openSource(solanaSource, {
    ...{ nextRun, loopByDefault: true, clock, log, dataFolder, tokens, rpcUrl },
    tokenPages: pages?.prefix,
  })
  const kind = source.isRecording ? 'recording' : source.simulated ? 'simulator' : 'chain'
  const pagesOfChain = kind === 'chain' && pages ? pagesOfSource(solanaSource) : undefined
  return { source, kind, ownPages: kind === 'simulator' ? pages : pagesOfChain }
}

/** Opens ingest over a source and bus, in one process with the other parts or alone. */
export function openIngest(
  config: IngestSettings,
  { source, kind, ownPages }: OpenedSource,
  { bus, log }: Readonly<{ bus: Bus; log: Log }>,
): OpenIngest {
  const { dataFolder, solanaSource, solanaSourceTokens, solanaRpcUrl: rpcUrl } = config
  const clock = systemClock
  // A million tokens take a second or two to load; only the stream waits for them.
  const tokens = openTokenMemory({ folder: join(dataFolder, 'tokens'), source: kind, log })
  const unknownFolder = join(dataFolder, 'unknown')
  const pages = { fetchPage: openPages(ownPages), own: ownPages }
  const rpc = openRpc(solanaSource, { clock, tokens: solanaSourceTokens, rpcUrl })
  const metadata = kind === 'simulator' ? ownPages && pages : { rpc, ...pages }
  const ingest = createIngest({
    ...{ source, bus, tokens, log, clock, unknownFolder },
    ...(metadata ? { metadata } : {}),
  })
  // Events in order of arrival have no position in a block.
  const chain =
    kind === 'chain' && !source.inOrderOfArrival
      ? openChainReader(solanaSource, { tokens: solanaSourceTokens, rpcUrl, clock })
      : undefined
  const sample = chain && createSampleAudit({ chain, bus, clock, log })
  const stopping = new AbortController()
  let chainName: SourceState['chain']
  let startedAt = 0
  let settled = false

  return {
    start() {
      startedAt = clock.elapsed()
      ingest.start()
      sample?.start()
      if (kind !== 'chain' || !rpc) return
      void askChain(rpc, { clock, log, signal: stopping.signal }).then((name) => {
        chainName = name
      })
    },
    async stop() {
      stopping.abort()
      await sample?.stop()
      await ingest.stop()
      await (await tokens).close()
    },
    state() {
      const { sourceUp, source: live, blocks, transactions, failedTransactions, ...rest } = ingest.stats()
      const { decoderFaults, sourceFaults, publishFaults, ...others } = rest
      const { programs, decoderAlarms, lagsByExchange, gapSlots, gapAt, blockAheadMs, ...state } = others
      const audit = sample?.read()
      const gaps = { gapSlots, gapAt, blockAheadMs }
      const proof = { programs, decoderAlarms, lagsByExchange, ...gaps, ...(audit ? { audit } : {}) }
      const faults = { decoderFaults, sourceFaults, publishFaults }
      const totals = { blocks, transactions, failedTransactions, ...faults }
      return { up: sourceUp, live, chain: chainName, ...state, proof, totals }
    },
    isSettled() {
      settled ||= isSettled(ingest.stats(), clock.elapsed() - startedAt)
      return settled
    },
    async lookUpTokens(mints) {
      const known = lookUpTokens(await tokens, mints)
      for (const mint of mints) if (!known[mint]?.logo) ingest.lookInto(mint)
      return known
    },
  }
}
