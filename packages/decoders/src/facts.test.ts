import { decodeBase58, encodeBase58 } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { decodeTransaction } from './decode-transaction.ts'
import { FOLDERS, openRecordings, type RpcRecord } from './testing/recordings.ts'
import { readRpcTransaction } from './transaction/read-rpc-transaction.ts'

const recordings = openRecordings(process.env)
const all = FOLDERS.flatMap((folder) => recordings.read(folder).map((each) => ({ ...each, folder })))

/** Every call of a record to a program for itself with an event of this discriminator, in order, as bytes after it. */
function bodies(record: RpcRecord, program: string, discriminator: string): Buffer[] {
  const keys = [
    ...record.transaction.message.accountKeys,
    ...Object.values((record.meta.loadedAddresses ?? {}) as Record<string, string[]>).flat(),
  ]
  const calls = (record.meta.innerInstructions ?? []).flatMap(({ instructions }) => instructions)
  return calls
    .filter(({ programIdIndex }) => keys[programIdIndex] === program)
    .map(({ data }) => Buffer.from(decodeBase58(data) ?? []))
    .filter((data) => data.subarray(8, 16).toString('hex') === discriminator)
    .map((data) => data.subarray(16))
}

/** A balance as the record has it. */
type Balance = { mint: string; owner?: string; uiTokenAmount: { amount: string } }

const PUMP = '6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P'
const LAUNCHLAB = 'LanMV9sAd7wArD4vJFi2qDdfnVhFxYSUg6eADduJ3uj'
const DBC = 'dbcij3LWUppWqq96dh6gJWwBifmcGfLSB5D4DuSMaqN'
const TRADE = 'bddb7fd34ee661ee'

/** The decoded events of an exchange, with the record. */
function decodedOf(exchange: string) {
  return all.flatMap(({ signature, read }) => {
    const record = read()
    const { events } = decodeTransaction(readRpcTransaction(record)!)
    const ours = events.filter((event) => event.exchange === exchange)
    return ours.length === 0 ? [] : [{ signature, record, events: ours }]
  })
}

const swapsIn = (events: ReturnType<typeof decodedOf>[number]['events']) =>
  events.filter((event) => event.kind === 'swap')

// What the chain wrote, read here by its offsets and by nothing of the decoders.
describe.skipIf(!recordings.exist)('facts of recorded and executed transactions', () => {
  it('of pump.fun are the reserves of each TradeEvent, and what is sold of 793,100,000 tokens', () => {
    let seen = 0
    for (const { signature, record, events } of decodedOf('pumpfun')) {
      const told = bodies(record, PUMP, TRADE)
      const swaps = swapsIn(events)
      // Records without inner calls tell it in their logs.
      if (told.length === 0) continue
      expect(swaps, signature).toHaveLength(told.length)
      for (const [at, { curve }] of swaps.entries()) {
        const body = told[at]!
        const [sol, tokens, realTokens] = [89, 97, 113].map((place) => body.readBigUInt64LE(place)) as [
          bigint,
          bigint,
          bigint,
        ]
        const isUsual = tokens - realTokens === 279_900_000_000_000n
        expect(curve?.virtualBase, signature).toBe(tokens)
        if (sol > 0n) expect(curve?.virtualQuote, signature).toBe(sol)
        else expect(curve?.virtualQuote, signature).toBeGreaterThan(0n)
        expect(curve?.filled, signature).toEqual(
          isUsual ? { amount: 793_100_000_000_000n - realTokens, of: 793_100_000_000_000n } : null,
        )
        expect(curve?.isComplete, signature).toBe(body[48] === 1 && realTokens === 0n)
        seen++
      }
    }
    expect(seen).toBeGreaterThan(20)
  })

  it('of a coin quoted in USDC are reserves in USDC: at most what a curve can raise', () => {
    const swaps = decodedOf('pumpfun').flatMap(({ events }) => swapsIn(events))
    const inUsdc = swaps.filter(({ quoteTokenMint }) => quoteTokenMint.startsWith('EPjF'))

    expect(inUsdc.length).toBeGreaterThan(0)
    for (const { curve, quoteAmount, baseAmount } of inUsdc) {
      const price = Number(curve?.virtualQuote) / Number(curve?.virtualBase)
      expect(price / (Number(quoteAmount) / Number(baseAmount))).toBeCloseTo(1, 0)
    }
  })

  it('of a mayhem coin are those of any other, and of a buy that fills its curve that it is complete', () => {
    const swaps = decodedOf('pumpfun').flatMap(({ signature, events }) =>
      swapsIn(events).map((swap) => ({ ...swap, signature })),
    )
    const mayhem = swaps.filter(({ launchpad }) => launchpad === 'pump_mayhem')
    const filling = swaps.filter(({ curve }) => curve?.isComplete)
    const of = 793_100_000_000_000n

    expect(mayhem.map(({ signature, curve }) => [signature.slice(0, 6), curve])).toEqual([
      [
        '2m5nWL',
        {
          ...{ filled: { amount: 5_322_500_188_431n, of }, isComplete: false },
          ...{ virtualBase: 1_067_677_499_811_569n, virtualQuote: 9_798_461_752n },
        },
      ],
    ])
    expect(filling.map(({ signature }) => signature.slice(0, 6))).toEqual(['43xbmt', 'buy_ex'])
    for (const { swapType, curve } of filling)
      expect([swapType, curve?.filled]).toEqual(['buy', { amount: of, of }])
  })

  it('of pump.fun name the creator of the CreateEvent, and what the curve begins with', () => {
    let seen = 0
    for (const { signature, record, events } of decodedOf('pumpfun')) {
      for (const [at, body] of bodies(record, PUMP, '1b72a94ddeeb6376').entries()) {
        const pair = events.filter((event) => event.kind === 'newPair')[at]
        let place = 0
        for (let text = 0; text < 3; text++) place += 4 + body.readUInt32LE(place)
        place += 32 + 32
        const user = encodeBase58(body.subarray(place, place + 32))
        const rest = body.subarray(place + 32)
        expect(pair?.creator, signature).toBe(rest.length === 0 ? user : encodeBase58(rest.subarray(0, 32)))
        if (rest.length < 72) expect(pair?.curve?.virtualBase, signature).toBeNull()
        else {
          expect(pair?.curve?.virtualBase, signature).toBe(rest.readBigUInt64LE(40))
          const lamports = rest.readBigUInt64LE(48)
          if (lamports > 0n) expect(pair?.curve?.virtualQuote, signature).toBe(lamports)
        }
        seen++
      }
    }
    expect(seen).toBeGreaterThan(4)
  })

  it('of LaunchLab are its parameters less what was sold, and plus what was raised', () => {
    let seen = 0
    for (const { signature, record, events } of decodedOf('raydium_launchlab')) {
      for (const [at, body] of bodies(record, LAUNCHLAB, TRADE).entries()) {
        const [of, base, quote, , , sold, raised] = Array.from({ length: 7 }, (_, each) =>
          body.readBigUInt64LE(32 + 8 * each),
        ) as [bigint, bigint, bigint, bigint, bigint, bigint, bigint]

        expect(swapsIn(events)[at]?.curve, signature).toEqual({
          filled: { amount: sold, of },
          isComplete: false,
          virtualBase: base - sold,
          virtualQuote: quote + raised,
        })
        seen++
      }
      const pair = events.find((event) => event.kind === 'newPair')
      expect(pair?.creator).toBe('FeGbW3kbwQnV42hxUAFfbupVzDU5sKhcHswvtRbrYpn5')
    }
    expect(seen).toBeGreaterThan(0)
  })

  it('of Meteora DBC are what it raised of its threshold, without reserves that nobody tells', () => {
    let seen = 0
    for (const { signature, record, events } of decodedOf('meteora_dbc')) {
      for (const [at, body] of bodies(record, DBC, 'bd4233a826507599').entries()) {
        expect(swapsIn(events)[at]?.curve, signature).toEqual({
          filled: { amount: body.readBigUInt64LE(155), of: body.readBigUInt64LE(163) },
          isComplete: body[64] === 1 && body.readBigUInt64LE(155) >= body.readBigUInt64LE(163),
          virtualBase: null,
          virtualQuote: null,
        })
        seen++
      }
      for (const body of bodies(record, DBC, 'e432f655cb428625')) {
        const pair = events.find((event) => event.kind === 'newPair')
        expect(pair?.creator).toBe(encodeBase58(body.subarray(64, 96)))
        expect(pair?.curve?.filled).toBeNull()
      }
    }
    expect(seen).toBeGreaterThan(2)
  })

  it('have the balance of the wallet that the record has, of every pool and curve', () => {
    const known = { balance: 0, closed: 0, unknown: 0 }
    for (const { signature, read } of all) {
      const record = read()
      const { pre, post } = { pre: record.meta.preTokenBalances, post: record.meta.postTokenBalances } as {
        pre: Balance[]
        post: Balance[]
      }
      for (const event of decodeTransaction(readRpcTransaction(record)!).events) {
        if (event.kind !== 'swap') continue
        const isOwn = ({ mint, owner }: Balance) =>
          mint === event.baseTokenMint && owner === event.walletAccount
        const after = post.filter(isOwn)
        const hasOwners = post.every(({ mint, owner }) => mint !== event.baseTokenMint || owner)
        if (hasOwners && after.length > 0) {
          const sum = after.reduce((all, { uiTokenAmount }) => all + BigInt(uiTokenAmount.amount), 0n)
          expect(event.walletBalance, signature).toBe(String(sum))
          known.balance++
        } else if (hasOwners && pre.some(isOwn)) {
          expect(event.walletBalance, signature).toBe('0')
          known.closed++
        } else {
          expect(event.walletBalance, signature).toBeNull()
          known.unknown++
        }
      }
    }
    expect(known.balance).toBeGreaterThan(50)
    expect(known.closed).toBeGreaterThan(0)
  })

  it('of a pool have no curve, and of its creation a creator', () => {
    for (const { signature, read } of all) {
      for (const event of decodeTransaction(readRpcTransaction(read())!).events) {
        const isCurve = ['pumpfun', 'raydium_launchlab', 'meteora_dbc'].includes(event.exchange)
        expect(event.curve === null, signature).toBe(!isCurve)
        if (event.kind === 'newPair') expect(event.creator, signature).toMatch(/^\w{32,44}$/)
      }
    }
  })
})
