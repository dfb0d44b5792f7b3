import { createJumpingClock } from '@pairwire/basics/testing/manual-clock'
import { createInProcessBus } from '@pairwire/bus'
import { encodeBase58, LAUNCHPADS, type NewPairParams, type StreamEvent } from '@pairwire/contract'
import { ASKED_PROGRAMS, decodeTransaction, type Transaction } from '@pairwire/decoders'
import { describe, expect, it } from 'vitest'
import { createIngest } from './create-ingest.ts'
import { openSource } from './sources/open-source.ts'
import { createMarket } from './sources/simulator/market.ts'
import type { Source } from './sources/source.ts'
import { FIXTURES, hasFixtures } from './testing/fixtures.ts'
import { silentLog } from './testing/silent-log.ts'
import { aFolder } from './testing/temporary-folder.ts'
import { lookUpTokens } from './tokens/look-up-tokens.ts'
import { openTokenMemory } from './tokens/token-memory.ts'

const START = Date.UTC(2026, 10, 20) / 1000

/** Pairs of a source that ends, and where each token was created, by mint, in one life of ingest over `folder`. */
async function readPairs(source: Source, folder: string) {
  const made = new Map<string, { slot: number | null; signature: string }>()
  const pairs: NewPairParams[] = []
  const traded = new Set<string>()
  const decode = (transaction: Transaction) => {
    const decoded = decodeTransaction(transaction)
    const { slot } = transaction
    const signature = encodeBase58(transaction.signature)
    for (const { account, decimals } of decoded.tokens ?? []) {
      if (decimals !== null) made.set(encodeBase58(account), { slot, signature })
    }
    return decoded
  }
  const bus = createInProcessBus({ maxBytes: 1_000_000 })
  bus.subscribe((batch: readonly StreamEvent[]) => {
    for (const event of batch) {
      if (event.kind === 'newPair') pairs.push(event.params)
      else if (event.kind === 'swap') traded.add(event.params.swap.baseTokenMint)
    }
  })
  const tokens = await openTokenMemory({ folder, source: 'recording', log: silentLog })
  const clock = createJumpingClock(START * 1000)
  let hasEnded = false
  const log = {
    ...silentLog,
    info: (sentence: string) => {
      if (sentence === 'The source has ended.') hasEnded = true
    },
  }
  const ingest = createIngest({ source, bus, clock, log, tokens, decode })
  ingest.start()
  while (!hasEnded) await new Promise((resolve) => setImmediate(resolve))
  await ingest.stop()
  const nameless = Object.entries(lookUpTokens(tokens, [...traded])).filter(([, token]) => !token?.name)
  await tokens.close()
  return { pairs, made, nameless }
}

const isOfEarlierToken = (made: Map<string, { signature: string }>, { pair, signature }: NewPairParams) => {
  const token = made.get(pair.baseToken.account)
  return token !== undefined && token.signature !== signature
}

describe('token details of a new pair', () => {
  // Guards existing programs, which throw on a pair without token details.
  it("are never null if ingest saw the token's creation, over two thousand blocks and a restart", async () => {
    const folder = aFolder({})
    const market = createMarket({ seed: 5, stream: 1, swapsPerSecond: 5, firstBlockTime: START })
    let slot = 0
    const blocks = (count: number): Source => ({
      simulated: true,
      blocks: async function* () {
        for (const last = slot + count; slot < last; ) {
          slot++
          const blockTime = START + Math.floor(slot * 0.4)
          const transactions = Array.from(market.block(slot, blockTime), ({ transaction }) => transaction)
          yield { run: 1, slot, blockTime, transactions }
        }
      },
    })

    const before = await readPairs(blocks(1_000), folder)
    const after = await readPairs(blocks(1_000), folder)

    // Only the simulator's: every token has a name in each event, and a place of trade.
    expect([...before.pairs, ...after.pairs].filter(({ pair }) => !pair.baseToken.info?.metadata)).toEqual([])
    expect([...before.nameless, ...after.nameless]).toEqual([])

    const made = new Map([...before.made, ...after.made])
    const pairs = [...before.pairs, ...after.pairs].filter(({ pair }) => made.has(pair.baseToken.account))
    expect(pairs.filter(({ pair }) => pair.baseToken.info === null)).toEqual([])
    const outside = pairs.filter(({ pair }) => !LAUNCHPADS.has(pair.sourceExchange))
    expect(outside.length).toBeGreaterThan(40)
    expect(outside.filter((pair) => isOfEarlierToken(made, pair)).length).toBeGreaterThan(40)
    for (const { pair } of outside) {
      expect(pair.baseToken.info).toMatchObject({
        decimals: 6,
        supply: '1000000000000000',
        metadata: { name: expect.stringMatching(/./), symbol: expect.stringMatching(/./) },
        mintAuthority: null,
      })
    }
    const acrossRestart = after.pairs.filter(({ pair }) => before.made.has(pair.baseToken.account))
    expect(acrossRestart.length).toBeGreaterThan(0)
  })

  it('come from transactions requested from a source of the live chain, for creation and pool alike', () => {
    const market = createMarket({ seed: 5, stream: 1, swapsPerSecond: 5, firstBlockTime: START })
    const telling: Transaction[] = []
    for (let slot = 1; slot <= 300; slot++) {
      for (const { transaction } of market.block(slot, START)) {
        const { tokens = [] } = decodeTransaction(transaction)
        if (tokens.some(({ decimals }) => decimals !== null)) telling.push(transaction)
      }
    }

    const asked = new Set(ASKED_PROGRAMS)
    const missed = telling.filter(({ keys }) => !keys.some((key) => asked.has(encodeBase58(key))))
    expect(telling.length).toBeGreaterThan(30)
    expect(missed).toEqual([])
  })

  it.skipIf(!hasFixtures)('are never null if a recording has the creation of the token', async () => {
    const source = openSource(`replay:${FIXTURES}/executed-2026`, {
      clock: createJumpingClock(START * 1000),
      nextRun: async () => 1,
      loopByDefault: false,
    })

    const { pairs, made } = await readPairs(source, aFolder({}))

    const earlier = pairs.filter((pair) => isOfEarlierToken(made, pair))
    expect(earlier.map(({ pair }) => pair.sourceExchange).sort()).toEqual([
      'meteora_damm',
      'meteora_damm_v2',
      'meteora_damm_v2',
    ])
    for (const { pair } of earlier) {
      expect(pair.baseToken.info).toMatchObject({ supply: '1000000000000000', metadata: {} })
    }
  })
})
