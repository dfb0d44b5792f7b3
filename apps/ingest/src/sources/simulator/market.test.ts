import { createHash } from 'node:crypto'
import { OPEN_VENUES, PUMPFUN_PROGRAM, PUMPSWAP_PROGRAM } from '@pairwire/chain-writer'
import { encodeBase58, USDC, WRAPPED_SOL } from '@pairwire/contract'
import { decodeTransaction } from '@pairwire/decoders'
import { describe, expect, it } from 'vitest'
import type { Composed } from './composer.ts'
import { createMarket, type MarketOptions } from './market.ts'
import type { Meant } from './meant.ts'

const START = 1_790_000_000

/** Everything that a market makes in that many blocks. */
function run(blocks: number, options: Partial<MarketOptions> = {}): Composed[] {
  return pick(blocks, options, (made) => [made])
}

/** Collects what `look` finds in each transaction: keeping all of them costs more than making them. */
function pick<Found>(
  blocks: number,
  options: Partial<MarketOptions>,
  look: (made: Composed) => readonly Found[],
): Found[] {
  const market = createMarket({ seed: 1, stream: 1, swapsPerSecond: 50, firstBlockTime: START, ...options })
  return Array.from({ length: blocks }, (_, at) =>
    [...market.block(at + 1, START + Math.floor(at * 0.4))].flatMap(look),
  ).flat()
}

/** What tests look at in a transaction of the long run. */
type Kept = Pick<Composed, 'meant'> & Readonly<{ slot: number; failed: boolean; calls: readonly string[] }>

/** 400 seconds with seed 1, in which everything possible happens; made once. */
function runLong(): readonly Kept[] {
  long ??= pick(1_000, {}, ({ meant, transaction }) => [
    { meant, slot: transaction.slot ?? 0, failed: transaction.failed, calls: callsOf(transaction) },
  ])
  return long
}

let long: readonly Kept[] | undefined

function kindsOf({ meant }: Pick<Composed, 'meant'>) {
  return meant.map(({ kind }) => kind)
}

function swapsOf(made: readonly Pick<Composed, 'meant'>[]) {
  return made.flatMap(({ meant }) => meant.filter((event) => event.kind === 'swap'))
}

describe('market', () => {
  // Guards the whole pipeline: the decoders of the real chain must read these transactions as intended.
  it.each([1, 2026])('decodes to exactly the intended events, with seed %i', (seed) => {
    const made = run(20, { seed, swapsPerSecond: 250 })

    const differing = made.filter(
      ({ transaction, meant }) =>
        textOf(decodeTransaction(transaction)) !== textOf({ events: meant, refusals: [] }),
    )
    expect(differing.map(({ transaction, meant }) => [decodeTransaction(transaction), meant])).toEqual([])
    expect(swapsOf(made).length).toBeGreaterThanOrEqual(1_900)
  })

  it('makes every kind of event: launches, listings, migrations, and trades both ways at every venue', () => {
    const made = runLong()

    const kinds = new Set(made.flatMap(({ meant }) => meant.map(nameOf)))
    const traded = [
      'pumpfun',
      'pumpswap',
      'raydium',
      'raydium_launchlab',
      'meteora_dbc',
      'heaven',
      ...OPEN_VENUES,
    ]
    expect([...kinds].sort()).toEqual(
      [
        'newPair pumpfun',
        'newPair pumpswap from pumpfun',
        'newPair raydium from raydium_launchpad',
        'newPair raydium_launchlab',
        ...OPEN_VENUES.map((venue) => `newPair ${venue}`),
        ...traded.flatMap((exchange) => [`swap ${exchange} buy`, `swap ${exchange} sell`]),
      ].sort(),
    )
  })

  it('leaves the fees of most pump.fun and PumpSwap trades waiting, pays some out as before, and sweeps', () => {
    const made = runLong()

    const counts = new Map<string, number>()
    for (const { calls } of made) for (const call of calls) counts.set(call, (counts.get(call) ?? 0) + 1)
    for (const [program, kept, paid] of [
      ['pumpfun', ['buy_v3', 'buy_exact_quote_in_v3', 'sell_v3'], ['buy', 'buy_exact_sol_in', 'sell']],
      ['pumpswap', ['buy_v2', 'buy_exact_quote_in_v2', 'sell_v2'], ['buy', 'buy_exact_quote_in', 'sell']],
    ] as const) {
      const sum = (names: readonly string[]) => {
        const found = names.map((name) => counts.get(`${program} ${name}`) ?? 0)
        expect(Math.min(...found), `${program} ${names}`).toBeGreaterThan(10)
        return found.reduce((one, other) => one + other)
      }
      expect(sum(kept) / sum(paid)).toBeGreaterThan(3)
    }
    expect(counts.get('pumpswap sweep_protocol_fee')).toBeGreaterThan(5)
    expect(counts.get('pumpswap sweep_creator_fee')).toBeGreaterThan(5)
    expect(counts.get('pumpswap init_boost')).toBeGreaterThan(1)
    expect(counts.get('pumpfun PostCompleteBuyEvent')).toBeGreaterThan(1)
  })

  it('makes the same transactions again for the same seed and start, and different ones otherwise', () => {
    const signatures = (options: Partial<MarketOptions>) =>
      run(2, options).map(({ transaction }) => encodeBase58(transaction.signature))
    const first = signatures({})

    expect(signatures({})).toEqual(first)
    for (const other of [{ seed: 2 }, { stream: 2 }]) {
      expect(signatures(other).filter((signature) => first.includes(signature))).toEqual([])
    }
  })

  it.each([0.5, 50, 2_000])('trades %d times a second', (swapsPerSecond) => {
    const seconds = swapsPerSecond === 2_000 ? 2 : 400
    const blocks = seconds * 2.5

    const kinds =
      swapsPerSecond === 50 ? runLong().flatMap(kindsOf) : pick(blocks, { swapsPerSecond }, kindsOf)
    const count = kinds.filter((kind) => kind === 'swap').length

    // A bundle or a launch with a buy may exceed the rate by a few.
    const wanted = swapsPerSecond * seconds
    expect(count).toBeGreaterThanOrEqual(swapsPerSecond < 1 ? wanted * 0.5 : wanted - 2)
    expect(count).toBeLessThanOrEqual(wanted * 1.02 + 10)
  })

  it('launches a pair every few seconds', () => {
    const launches = runLong().filter(({ meant: [first] }) => first?.kind === 'newPair' && !first.migration)

    expect(launches.length).toBeGreaterThan(400 / 5)
    expect(launches.length).toBeLessThan(400 / 2)
  })

  it('has a price of SOL from the first block on, never older than 60 s', () => {
    const slots = pick(500, { swapsPerSecond: 2 }, ({ transaction, meant }) =>
      meant.some((event) => event.kind === 'swap' && isSolAgainstUsdc(event)) ? [transaction.slot!] : [],
    )

    expect(slots[0]).toBe(1)
    for (const [at, slot] of slots.entries()) if (at > 0) expect(slot - slots[at - 1]!).toBeLessThan(150)
  })

  // A whale was sometimes a minute away, and with it the first row of the whale example.
  it.each([1, 2])('has a whale at least every half minute, with seed %i', (seed) => {
    const hasWhale = ({ meant }: Pick<Composed, 'meant'>) =>
      meant.some((event) => event.kind === 'swap' && isWhale(event))
    const blocks = seed === 1 ? 1_000 : 225
    const slots =
      seed === 1
        ? runLong().flatMap((made) => (hasWhale(made) ? [made.slot] : []))
        : pick(blocks, { seed }, (made) => (hasWhale(made) ? [made.transaction.slot ?? 0] : []))

    const waits = slots.map((slot, at) => slot - (slots[at - 1] ?? 0))
    expect(Math.max(...waits) * 0.4).toBeLessThan(30)
    expect(slots.length).toBeLessThan(blocks / 3)
  })

  it('moves the price of SOL in small steps', () => {
    const prices = swapsOf(runLong())
      .filter(isSolAgainstUsdc)
      .map((swap) => (Number(swap.quoteAmount) / Number(swap.baseAmount)) * 1_000)

    expect(new Set(prices.map((price) => price.toFixed(2))).size).toBeGreaterThan(10)
    for (const price of prices) expect(Math.abs(price / 168.4 - 1)).toBeLessThan(0.05)
  })

  it('makes failed transactions, routes, bundles of several signers, and returning traders', () => {
    const made = runLong()

    const wallets = swapsOf(made).map((swap) => swap.walletAccount)
    expect(made.some(({ failed }) => failed)).toBe(true)
    expect(made.filter(({ failed, meant }) => failed && meant.length > 0)).toEqual([])
    expect(made.some(({ meant }) => new Set(meant.map(poolOf)).size >= 2)).toBe(true)
    expect(made.some(({ meant }) => new Set(meant.map(walletOf)).size >= 3)).toBe(true)
    expect(new Set(wallets).size).toBeGreaterThan(300)
    expect(new Set(wallets).size).toBeLessThan(wallets.length * 0.6)
  })

  it('ends some LaunchLab mints in bonk, and every pump.fun mint in pump', () => {
    const made = runLong()
    const mints = (exchange: string) =>
      made.flatMap(({ meant }) =>
        meant.flatMap((event) =>
          event.kind === 'newPair' && event.exchange === exchange ? [event.baseToken.mint] : [],
        ),
      )

    expect(mints('pumpfun').every((mint) => mint.endsWith('pump'))).toBe(true)
    expect(mints('raydium_launchlab').some((mint) => mint.endsWith('bonk'))).toBe(true)
    expect(mints('raydium_launchlab').every((mint) => mint.endsWith('bonk'))).toBe(false)
  })

  it('takes no more from a pool than it holds, over thousands of trades', () => {
    const swaps = swapsOf(runLong())

    expect(swaps.length).toBeGreaterThan(9_000)
    for (const { exchange, quoteTokenLiquidity } of swaps) {
      // Vaults shared by several pools tell nothing about one of them.
      if (exchange === 'meteora_damm') expect(quoteTokenLiquidity).toBeNull()
      else expect(quoteTokenLiquidity).toBeGreaterThanOrEqual(0n)
    }
  })
})

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16)
const PROGRAMS = new Map([
  [encodeBase58(PUMPFUN_PROGRAM), 'pumpfun'],
  [encodeBase58(PUMPSWAP_PROGRAM), 'pumpswap'],
])
const CALLS = new Map([
  [hashOf('event:PostCompleteBuyEvent'), 'PostCompleteBuyEvent'],
  ...[
    ...['buy', 'sell', 'buy_exact_sol_in', 'buy_exact_quote_in', 'init_boost'],
    ...['buy_v3', 'sell_v3', 'buy_exact_quote_in_v3', 'buy_v2', 'sell_v2', 'buy_exact_quote_in_v2'],
    ...['sweep_protocol_fee', 'sweep_creator_fee'],
  ].map((name) => [hashOf(`global:${name}`), name] as const),
])

/** Names the calls of both programs, and purchases beyond a curve. */
function callsOf({ instructions, keys }: Composed['transaction']): string[] {
  return instructions.flatMap(({ programIndex, data }) => {
    const program = PROGRAMS.get(encodeBase58(keys[programIndex]!))
    if (!program) return []
    const hex = Buffer.from(data.subarray(0, 16)).toString('hex')
    const name = CALLS.get(hex.slice(0, 16)) ?? CALLS.get(hex.slice(16))
    return name ? [`${program} ${name}`] : []
  })
}

/** Serializes events with raw amounts as text, to compare thousands quickly. */
function textOf(decoded: Readonly<{ events: readonly Meant[]; refusals: readonly unknown[] }>): string {
  const { refusals } = decoded
  const plain = { refusals, events: decoded.events.map((event) => Object.entries(event).sort()) }
  return JSON.stringify(plain, (_, value) => (typeof value === 'bigint' ? `${value}n` : value))
}

function nameOf(event: Meant): string {
  if (event.kind === 'swap') return `swap ${event.exchange} ${event.swapType}`
  return `newPair ${event.exchange}${event.migration ? ` from ${event.migration}` : ''}`
}

function isSolAgainstUsdc(event: Meant & { kind: 'swap' }): boolean {
  return event.baseTokenMint === WRAPPED_SOL && event.quoteTokenMint === USDC
}

/** Clearly above 10,000 US dollars, at a nearly constant price of SOL. */
function isWhale({ quoteTokenMint, quoteAmount }: Meant & { kind: 'swap' }): boolean {
  const dollars = quoteTokenMint === WRAPPED_SOL ? Number(quoteAmount) * 165e-9 : Number(quoteAmount) / 1e6
  return dollars > 10_500
}

function poolOf(event: Meant): string {
  return event.ammAccount
}

function walletOf(event: Meant): string | undefined {
  return event.kind === 'swap' ? event.walletAccount : undefined
}
