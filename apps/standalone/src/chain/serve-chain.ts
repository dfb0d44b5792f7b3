import { mintOfFile, tokenFile } from '@pairwire/api/token-files'
import type { Clock } from '@pairwire/basics'
import {
  type Chain,
  type ChainTransaction,
  createChain,
  createRandom,
  serveRpc,
  serveYellowstone,
} from '@pairwire/chain-double'
import { type Block, createSimulator, SLOT_MS, standInPages } from '@pairwire/ingest'
import { type ChainFaults, readFaultFlags } from './fault-flags.ts'
import { listenOnOnePort } from './one-port.ts'
import { createTokenKeeper, type TokenKeeper } from './token-keeper.ts'

/** What {@link serveChain} needs. */
export type ServeChainOptions = Readonly<{
  host: string
  /** 0 for any free port. */
  port: number
  swapsPerSecond: number
  seed: number
  /** As parsed by {@link readFaultFlags}. */
  faults: readonly string[]
  clock: Clock
  /** Ends it. */
  signal: AbortSignal
}>

/** A running stand-in. */
type ServedChain = Readonly<{
  port: number
  /** Resolves once it has ended. */
  ended: Promise<void>
}>

/** The version that its servers report, so that nobody takes it for the real chain. */
const VERSION = JSON.stringify({ version: { package: 'pairwire-chain (simulated)', version: '0.1.0' } })

/** Swaps that are kept for late readers, about 30 kB each in total. */
const MAX_HELD_SWAPS = 5_000

/** The least number of blocks to keep: a slot is known to be skipped only once the chain is 32 blocks past it. */
const MIN_HELD_BLOCKS = 40

/**
 * A stand-in for the chain on one port: the simulator's transactions, in the bytes of the real programs, over gRPC like
 * Yellowstone and over JSON-RPC with its websocket, a block every {@link SLOT_MS}.
 *
 * @throws RangeError with a sentence for people if a fault is invalid
 */
export async function serveChain(options: ServeChainOptions): Promise<ServedChain> {
  const { host, port, swapsPerSecond, seed, clock, signal } = options
  const faults = readFaultFlags(options.faults)
  // Before the first token is created, since each names its page at this port.
  const door = await listenOnOnePort({ host, port })
  const pages = standInPages(new URL(`http://${host.includes(':') ? `[${host}]` : host}:${door.port}`))
  const tokenPages = pages?.prefix
  const simulator = createSimulator({ seed, swapsPerSecond, clock, nextRun: async () => 1, tokenPages })
  const blocks = simulator.blocks(signal)[Symbol.asyncIterator]()
  const first: Block = (await blocks.next()).value

  const held = Math.ceil((MAX_HELD_SWAPS * 1_000) / (swapsPerSecond * SLOT_MS))
  faults.history = Math.min(faults.history, Math.max(held, MIN_HELD_BLOCKS))
  const chain = createChain({ firstSlot: first.slot, keeps: Math.max(faults.history, MIN_HELD_BLOCKS) })
  const keeper = createTokenKeeper(chain)
  const fileAt = (path: string) => pages && fileOf(keeper, pages.prefix, path)
  const yellowstone = await serveYellowstone({ chain, faults, seed, version: VERSION })
  const rpc = await serveRpc({ chain, faults, seed, fileAt })
  door.open({ http1Port: rpc.port, http2Port: yellowstone.port })

  const grow = createGrower(chain, keeper, faults, createRandom(seed))
  const run = async () => {
    grow(first)
    for (let next = await blocks.next(); !next.done; next = await blocks.next()) grow(next.value)
    await Promise.all([door.close(), yellowstone.close(), rpc.close()])
  }
  return { port: door.port, ended: run() }
}

/** The page or the picture of a token of this chain, as the simulator has them, at a path. */
function fileOf(keeper: TokenKeeper, prefix: string, path: string) {
  const folder = new URL(prefix).pathname
  const name = path.startsWith(folder) ? path.slice(folder.length) : ''
  const mint = mintOfFile(name)
  const token = mint === undefined ? undefined : keeper.find(mint)
  return token && tokenFile(name, prefix, token)
}

/** Turns each block of the simulator into a block of the chain, in the same slot. */
function createGrower(
  chain: Chain,
  keeper: TokenKeeper,
  faults: ChainFaults,
  random: () => number,
): (block: Block) => void {
  let waiting: ChainTransaction[] = []
  return ({ slot, blockTime, transactions }) => {
    for (const transaction of transactions) waiting.push(keeper.take(transaction, slot, waiting.length))
    if (random() < faults.skips) return
    const skipped = slot - (chain.head()?.slot ?? slot - 1) - 1
    const rival = random() < faults.rivals ? { rival: waiting.slice(1) } : {}
    chain.add(waiting, { blockTime, skipped, ...rival })
    waiting = []
  }
}
