import { type Clock, type Log, systemClock } from '@pairwire/basics'
import type { SourceKind, StreamEvent } from '@pairwire/contract'
import { decodeTransaction } from '@pairwire/decoders'
import { type ChainReader, openChainReader } from '../audit/chain-reader.ts'
import { createBlockEvents } from '../block-events.ts'
import { learnLater } from '../enrich/enrich.ts'
import { createPrices } from '../enrich/prices.ts'
import { IngestFigures } from '../ingest-figures.ts'
import type { BlockTransaction } from '../slot-keeper/block-transaction.ts'
import { namesLiveChain } from '../sources/live-addresses.ts'
import { openSource } from '../sources/open-source.ts'
import { type Block, LIVE_RUN } from '../sources/source.ts'
import { createTokenMemory } from '../tokens/token-memory.ts'

/** Reads the past of a source again. */
export type Past = Readonly<{
  kind: SourceKind
  /**
   * Yields the events of its blocks between two block times (Unix milliseconds), a block at a time, with the first one
   * that reaches `to`, and two minutes before from which the price of SOL is learned; of a recording, all before.
   *
   * @throws Error with a sentence when blocks are no longer kept, or cannot be read
   */
  events(from: number, to: number, signal: AbortSignal): AsyncGenerator<readonly StreamEvent[], void>
}>

/** What {@link openPast} needs besides the setting. */
type PastOptions = Readonly<{
  tokens: readonly string[]
  rpcUrl: string | undefined
  /** Base address of the simulator's token pages; without it they lead nowhere. */
  tokenPages: string | undefined
  log: Log
}>

/** Milliseconds before the wanted range to start reading: prices last 60 s. */
const BEFORE_MS = 120_000

/** The run of everything made again: cursors of other streams begin with 1, and so come after. */
const PAST_RUN = LIVE_RUN

/**
 * Opens the past of the source that `SOLANA_SOURCE` names; blocks of the chain come from its JSON-RPC, or that of
 * `rpcUrl`, as for an audit.
 *
 * @throws Error with a sentence for people when it names none, or none that has blocks
 */
export function openPast(setting: string, options: PastOptions): Past {
  const { log } = options
  if (setting === '' || namesLiveChain(setting)) {
    const chain = openChainReader(setting, { ...options, clock: systemClock })
    if (!chain) {
      throw new Error(
        'Blocks are read again over JSON-RPC: set SOLANA_RPC_URL, or name an endpoint with --source rpc+https://….',
      )
    }
    return { kind: 'chain', events: (...span) => eventsOf(chainBlocks(chain, ...span), span[1], log) }
  }
  const open = (at: number) =>
    openSource(setting, {
      ...{ ...options, loopByDefault: false, clock: clockThatJumps(at), nextRun: async () => PAST_RUN },
    })
  return {
    kind: open(0).isRecording ? 'recording' : 'simulator',
    events: (from, to, signal) => eventsOf(open(from - BEFORE_MS).blocks(signal), to, log),
  }
}

/** Makes the events that a stream would have had of these entries, from blocks alone. */
async function* eventsOf(entries: AsyncIterable<object>, to: number, log: Log) {
  const figures = new IngestFigures({}, systemClock, log)
  const blocks = createBlockEvents({
    ...{ decode: decodeTransaction, unknown: undefined, figures, clock: systemClock, log },
  })
  const memory = { prices: createPrices(), tokens: await createTokenMemory(log) }
  let lastSlot = -1
  for await (const entry of entries) {
    const block = entry as Block<BlockTransaction> // neither a chain read again nor a stand-in yields anything else
    if (block.slot <= lastSlot) return // a recording that starts over
    lastSlot = block.slot
    const made = await blocks.make(block, memory)
    yield made.batch
    if (block.blockTime * 1000 >= to) return
    await learnLater(blocks.count(made), memory, systemClock)()
  }
}

async function* chainBlocks(chain: ChainReader, from: number, _to: number, signal: AbortSignal) {
  const { slot: first, head } = await chain.findSlot((from - BEFORE_MS) / 1000, signal)
  let blockTime = 0
  for await (const block of chain.blocks(first, head, signal)) {
    const { slot, blockhash, parentBlockhash, transactions } = block
    blockTime = block.blockTime ?? blockTime
    const hashes = { blockhash, ...(parentBlockhash && { parentBlockhash }) }
    yield { run: LIVE_RUN, slot, hashes, blockTime, transactions } satisfies Block<BlockTransaction>
  }
}

/** A clock that nothing waits for: every wait moves it. */
function clockThatJumps(start: number): Clock {
  let at = start
  return {
    ...systemClock,
    now: () => at,
    wait: async (milliseconds) => {
      at += milliseconds
    },
  }
}
