import { systemClock } from '@pairwire/basics'
import { createInProcessBus } from '@pairwire/bus'
import {
  type Chain,
  createChain,
  serveRpc,
  toChainTransaction,
  writeMetaplexAccount,
  writeMintState,
} from '@pairwire/chain-double'
import {
  decodeBase58,
  encodeBase58,
  type NewPairParams,
  type PairUpdateParams,
  WRAPPED_SOL,
} from '@pairwire/contract'
import { decodeTransaction, metaplexAccountOf } from '@pairwire/decoders'
import { afterEach, describe, expect, it } from 'vitest'
import { createIngest } from '../create-ingest.ts'
import { openRpc } from '../sources/open-rpc.ts'
import { openSource } from '../sources/open-source.ts'
import { createMarket } from '../sources/simulator/market.ts'
import { eventually } from '../testing/live-chain.ts'
import { silentLog } from '../testing/silent-log.ts'
import { aFolder } from '../testing/temporary-folder.ts'
import { lookUpTokens } from '../tokens/look-up-tokens.ts'
import { createTokenMemory } from '../tokens/token-memory.ts'

const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
const TOKEN_2022_PROGRAM = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'
const METADATA_PROGRAM = 'metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s'
const FIRST_SLOT = 1_000
const BLOCKS = 48

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

describe('names on a live chain', () => {
  it('are known for every pair, trade and question whose mint is on the chain, even if its creation was never seen', async () => {
    const { chain, blocks } = aMarket()
    const rpc = await serveRpc({ chain })
    const setting = `rpc+${rpc.url}`
    const clock = systemClock
    const bus = createInProcessBus({ maxBytes: 10_000_000 })
    const tokens = createTokenMemory(silentLog)
    const source = openSource(setting, {
      ...{ clock, log: silentLog, dataFolder: aFolder({}), loopByDefault: false },
      nextRun: async () => 0,
    })
    const ingest = createIngest({
      ...{ source, bus, tokens, clock, log: silentLog },
      metadata: {
        rpc: openRpc(setting, { clock }),
        fetchPage: async ({ pathname }) =>
          Buffer.from(JSON.stringify({ image: `https://pages.example${pathname}.png` })),
      },
    })
    closing.push(rpc.close, () => ingest.stop())
    const heard = { pairs: [] as NewPairParams[], updates: new Map<string, PairUpdateParams>(), latest: 0 }
    const traded = new Set<string>()
    bus.subscribe((batch) => {
      for (const event of batch) {
        if (event.kind === 'newPair') heard.pairs.push(event.params)
        if (event.kind === 'swap') traded.add(event.params.swap.baseTokenMint)
        if (event.kind === 'latestBlock') heard.latest = event.params.block
      }
    })
    bus.onControl((message) => {
      if (message.type === 'pairUpdate') heard.updates.set(message.update.ammAccount, message.update)
    })
    const nameless = () =>
      Object.entries(lookUpTokens(tokens, [...traded])).filter(
        ([mint, token]) => mint !== WRAPPED_SOL && !(token?.name && token.logo),
      )

    chain.add([])
    ingest.start()
    await eventually(() => heard.latest === FIRST_SLOT)
    for (const block of blocks) chain.add(block)
    await eventually(() => heard.latest === FIRST_SLOT + BLOCKS && nameless().length === 0)

    const infos = heard.pairs.map(({ pair }) => ({
      atOnce: pair.baseToken.info,
      atLast: heard.updates.get(pair.ammAccount)?.baseToken.info ?? pair.baseToken.info,
    }))
    expect(infos.filter(({ atOnce }) => atOnce === null).length).toBeGreaterThan(0)
    for (const { atLast } of infos) {
      expect(atLast).toMatchObject({ decimals: 6, supply: '1000000000000000' })
      expect(atLast?.metadata?.name).toMatch(/\w/)
      expect(atLast?.metadata?.logo).toMatch(/^https:\/\/pages\.example\//)
    }
    expect(heard.pairs.length).toBeGreaterThan(4)
    expect(traded.size).toBeGreaterThan(30)

    // Tokens without trades are looked up on request.
    const mint = setQuiet(chain)
    expect(lookUpTokens(tokens, [mint])).toEqual({ [mint]: null })
    ingest.lookInto(mint)
    await eventually(() => Boolean(lookUpTokens(tokens, [mint])[mint]?.logo))
    expect(lookUpTokens(tokens, [mint])[mint]).toMatchObject({ name: 'Quiet', symbol: 'QT', decimals: 6 })
  })
})

/** Gives the chain a token without trades. */
function setQuiet({ accounts }: Pick<Chain, 'accounts'>): string {
  const mint = new Uint8Array(32).fill(5)
  const metadata = { name: 'Quiet', symbol: 'QT', uri: 'https://pages.example/quiet' }
  const data = writeMintState({ mint, decimals: 6, supply: 1n, pointer: mint, metadata })
  accounts.set(encodeBase58(mint), { owner: TOKEN_2022_PROGRAM, data })
  return encodeBase58(mint)
}

/** A market's blocks without the transactions that create tokens, and a chain that has those tokens. */
function aMarket() {
  const chain = createChain({ firstSlot: FIRST_SLOT })
  const market = createMarket({ seed: 8, stream: 1, swapsPerSecond: 8, firstBlockTime: 1_793_000_000 })
  const all = createTokenMemory(silentLog)
  const programs = new Map<string, string>()
  const blocks = Array.from({ length: BLOCKS }, (_, at) => {
    const slot = at + 1
    const made = [...market.block(slot, 1_793_000_000 + Math.floor(slot * 0.4))]
    return made.flatMap(({ transaction }, transactionIndex) => {
      const { events, tokens = [] } = decodeTransaction(transaction)
      all.apply(tokens, { run: 0, slot, transactionIndex })
      const written = toChainTransaction(transaction)
      for (const { mint, programId } of written.meta.postTokenBalances ?? []) {
        programs.set(mint, programId ?? TOKEN_PROGRAM)
      }
      return events.length === 0 && tokens.length > 0 ? [] : [written]
    })
  })
  for (const [mint, owner] of programs) {
    const token = all.find(mint)
    const key = decodeBase58(mint)
    if (!token || !key) continue
    const { decimals, supply, name, symbol, uri } = token
    const metadata = { name: name ?? '', symbol: symbol ?? '', uri: uri ?? '' }
    const isOwn = owner === TOKEN_2022_PROGRAM
    const data = writeMintState({
      ...{ mint: key, decimals, supply },
      ...(isOwn ? { pointer: key, metadata } : {}),
    })
    chain.accounts.set(mint, { owner, data })
    if (isOwn) continue
    const account = encodeBase58(metaplexAccountOf(key))
    chain.accounts.set(account, { owner: METADATA_PROGRAM, data: writeMetaplexAccount(key, metadata) })
  }
  return { chain, blocks }
}
