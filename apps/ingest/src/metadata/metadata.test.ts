import { createManualClock } from '@pairwire/basics/testing/manual-clock'
import { writeMetaplexAccount, writeMintState } from '@pairwire/chain-double'
import { encodeBase58, type NewPair, type PairUpdateMessage, WRAPPED_SOL } from '@pairwire/contract'
import { metaplexAccountOf, type TokenChange } from '@pairwire/decoders'
import { describe, expect, it } from 'vitest'
import { FeedError } from '../sources/chain/feed.ts'
import { RpcError } from '../sources/rpc/rpc-client.ts'
import { aNewPair } from '../testing/a-new-pair.ts'
import { silentLog } from '../testing/silent-log.ts'
import { createTokenMemory } from '../tokens/token-memory.ts'
import { Metadata } from './metadata.ts'
import { BEHIND_MS, PAUSE_MS } from './read-chain-tokens.ts'

const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
const TOKEN_2022_PROGRAM = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'
const METADATA_PROGRAM = 'metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s'
const TOO_EARLY = new RpcError(-32016, 'Minimum context slot has not been reached')
const LOGO = 'https://page.example/1.png'

const keyOf = (number: number) => {
  const key = new Uint8Array(32).fill(9)
  new DataView(key.buffer).setUint32(0, number)
  return key
}
const mintOf = (number: number) => encodeBase58(keyOf(number))
const at = (slot: number) => ({ run: 0, slot, transactionIndex: 3, blockTime: 1_795_000_000 })
const aNewPage = (number: number): TokenChange => ({
  ...{ account: keyOf(number), decimals: null, supply: 0n, metadataAccount: null, isUnsure: false },
  ...{ mintAuthority: undefined, freezeAuthority: undefined },
  metadata: { uri: 'https://page.example/new.json' },
})
const aPair = (number: number, change?: Partial<NewPair>) => aNewPair(number, mintOf(number), change)

/** Metadata of a chain with given accounts; the test controls time. */
function setUp({ slot = 10 } = {}) {
  const clock = createManualClock(Date.UTC(2026, 10, 20))
  const accounts = new Map<string, { owner: string; data: Uint8Array }>()
  const asked: { mints: readonly string[]; minContextSlot: number | undefined }[] = []
  const pages: string[] = []
  const told: PairUpdateMessage[] = []
  const chain = {
    ...{ slot, failing: undefined as Error | undefined },
    /** Accounts that the endpoint accepts in a request, and returns. */
    ...{ takes: 100, answers: 100 },
    answer: async (): Promise<void> => {},
    /** Holds every page until it resolves. */
    page: async (): Promise<void> => {},
  }
  const tokens = createTokenMemory(silentLog)
  const metadata = new Metadata({
    ...{ tokens, clock, tell: (update) => void told.push(update) },
    rpc: {
      call: async (_method, params) => {
        const [mints, { minContextSlot, dataSlice }] = params as [
          string[],
          { minContextSlot?: number; dataSlice: { offset: number; length: number } },
        ]
        asked.push({ mints, minContextSlot })
        if (minContextSlot && minContextSlot > chain.slot) throw TOO_EARLY
        if (mints.length > chain.takes) throw new FeedError('broken', 'The endpoint answers with HTTP 413.')
        const value = mints.map((mint) => {
          const account = accounts.get(mint)
          return (
            account && {
              owner: account.owner,
              data: [Buffer.from(account.data.subarray(0, dataSlice.length)).toString('base64'), 'base64'],
            }
          )
        })
        const context = { slot: chain.slot }
        await chain.answer()
        if (chain.failing) throw chain.failing
        return { context, value: value.slice(0, chain.answers) }
      },
    },
    fetchPage: async ({ pathname }) => {
      pages.push(pathname)
      await chain.page()
      return Buffer.from(JSON.stringify({ image: LOGO, twitter: '@nut' }))
    },
  })
  const set = (number: number, { uri = '', supply = 1_000n } = {}) => {
    const mint = keyOf(number)
    const named = { name: `Nut ${number}`, symbol: 'NUT', uri }
    accounts.set(mintOf(number), {
      owner: TOKEN_PROGRAM,
      data: writeMintState({ mint, decimals: 6, supply, freezeAuthority: keyOf(3) }),
    })
    accounts.set(encodeBase58(metaplexAccountOf(mint)), {
      owner: METADATA_PROGRAM,
      data: writeMetaplexAccount(mint, named),
    })
  }
  return { clock, accounts, asked, pages, told, chain, tokens, metadata, set }
}

describe('token lookup', () => {
  it('updates a pair when its name is known, and again when its picture is', async () => {
    const { clock, set, metadata, told } = setUp()
    set(1, { uri: 'https://page.example/1.json' })

    metadata.sawPair(aPair(1), at(7))
    await clock.pass(0)

    const info = {
      ...{ decimals: 6, supply: '1000', mintAuthority: null, freezeAuthority: mintOf(3) },
      metadata: { name: 'Nut 1', symbol: 'NUT', logo: null, socials: null },
    }
    const common = {
      ...{ type: 'pairUpdate', cursor: 'cursor 1', sourceExchange: 'raydium', migration: null },
      creator: undefined,
    }
    const update = { ammAccount: 'pool 1', baseToken: { account: mintOf(1), info } }
    expect(told[0]).toEqual({ ...common, update })
    expect(told[1]?.update.baseToken.info?.metadata).toEqual({
      ...info.metadata,
      logo: LOGO,
      socials: { website: null, x: 'https://x.com/nut', telegram: null },
    })
    expect(told).toHaveLength(2)
  })

  it('updates no pair sent more than a minute ago, but remembers the token', async () => {
    const { clock, set, metadata, told, chain, tokens } = setUp()
    set(1)
    chain.answer = () => clock.wait(60_001, new AbortController().signal)

    metadata.sawPair(aPair(1), at(7))
    await clock.pass(200_000)

    expect(told).toEqual([])
    expect(tokens.find(mintOf(1))?.name).toBe('Nut 1')
  })

  it('looks up each mint once, a hundred at a time, pairs before trades and the newest first', async () => {
    const { clock, set, metadata, asked, chain } = setUp()
    let open = () => {}
    chain.answer = () => new Promise((resolve) => (open = resolve))
    set(0)
    metadata.sawTrade(mintOf(0), at(7))
    for (let number = 1; number <= 250; number++) {
      for (let trade = 0; trade < 3; trade++) metadata.sawTrade(mintOf(number), at(8))
    }
    metadata.sawPair(aPair(500), at(9))
    metadata.sawPair(aPair(501), at(9))
    chain.answer = async () => {}
    open()
    await clock.pass(10_000)

    const mints = asked.map(({ mints }) => mints)
    expect(mints[0]).toEqual([mintOf(0)])
    expect(mints[2]?.slice(0, 3)).toEqual([501, 500, 250].map(mintOf))
    expect(mints.slice(2).map(({ length }) => length)).toEqual([100, 100, 52])
    expect(new Set(mints.flat()).size).toBe(mints.flat().length)
    expect(asked.map(({ minContextSlot }) => minContextSlot)).toEqual([7, 7, 9, 9, 9])
  })

  it('sends only a few requests a second, however many tokens trade', async () => {
    const { clock, metadata, asked } = setUp()
    for (let number = 0; number < 4_000; number++) metadata.sawTrade(mintOf(number), at(8))

    await clock.pass(10_000)

    expect(asked.length).toBeLessThanOrEqual(21)
  })

  it('leaves a missing mint alone for ten minutes', async () => {
    const { clock, metadata, asked } = setUp()
    metadata.sawPair(aPair(1), at(7))
    await clock.pass(9 * 60_000)
    metadata.sawPair(aPair(1), at(8))
    await clock.pass(0)
    expect(asked).toHaveLength(1)

    await clock.pass(60_000)
    metadata.sawPair(aPair(1), at(9))
    await clock.pass(0)

    expect(asked).toHaveLength(2)
  })

  it('waits for a failing endpoint, longer each time', async () => {
    const { clock, set, metadata, asked, chain, told } = setUp()
    set(1)
    chain.failing = new FeedError('broken', 'The endpoint answers with HTTP 503.')

    metadata.sawPair(aPair(1), at(7))
    await clock.pass(6_999)
    expect(asked).toHaveLength(3)
    expect(metadata.stats().trouble).toBe(
      'Names of tokens cannot be looked up: The endpoint answers with HTTP 503.',
    )
    chain.failing = undefined
    await clock.pass(1)

    expect(told).toHaveLength(1)
    expect(metadata.stats().trouble).toBeNull()
  })

  // Guards names altogether: endpoints are often, and permanently, some slots behind the stream.
  it('gets a name from an endpoint that is always behind, once it has reached the slot of the request', async () => {
    const { clock, set, metadata, chain, told } = setUp({ slot: 7 })
    set(1)
    metadata.sawPair(aPair(1), at(10))
    for (let slot = 11; slot <= 14; slot++) {
      await clock.pass(400)
      chain.slot = slot - 3
      metadata.sawTrade(WRAPPED_SOL, at(slot))
    }
    await clock.pass(PAUSE_MS)

    expect(told).toHaveLength(1)
    expect(metadata.stats().trouble).toBeNull()
  })

  it('repeats the request when an endpoint stays behind for half a minute, and reports that', async () => {
    const { clock, set, metadata, chain, told } = setUp({ slot: 7 })
    set(1)
    metadata.sawPair(aPair(1), at(10))
    await clock.pass(BEHIND_MS + PAUSE_MS)
    expect(metadata.stats().trouble).toContain('Minimum context slot')

    chain.slot = 10
    await clock.pass(2_000)

    expect(told).toHaveLength(1)
  })

  it('gets names from an endpoint that accepts only a few accounts per request', async () => {
    const { clock, set, metadata, asked, chain, tokens } = setUp()
    chain.takes = 5
    for (let number = 0; number < 40; number++) set(number)
    for (let number = 0; number < 40; number++) metadata.sawTrade(mintOf(number), at(8))

    await clock.pass(30_000)

    for (let number = 0; number < 40; number++)
      expect(tokens.find(mintOf(number))?.name).toBe(`Nut ${number}`)
    expect(asked.length).toBeLessThan(60)
    expect(metadata.stats()).toMatchObject({ trouble: null, mintsWaiting: 0 })
  })

  it('does not take an answer of another length as proof that mints are missing', async () => {
    const { clock, set, metadata, chain, tokens } = setUp()
    for (const number of [1, 2]) set(number)
    chain.answers = 0
    for (const number of [1, 2]) metadata.sawTrade(mintOf(number), at(8))
    await clock.pass(1_000)
    expect(metadata.stats().trouble).toContain('different number of accounts')

    chain.answers = 100
    await clock.pass(10_000)

    expect([1, 2].map((number) => tokens.find(mintOf(number))?.symbol)).toEqual(['NUT', 'NUT'])
  })

  it('looks up a requested mint once, after those of pairs and trades', async () => {
    const { clock, set, metadata, asked, pages, chain, tokens } = setUp()
    set(2, { uri: 'https://page.example/2.json' })
    chain.failing = new FeedError('broken', 'The endpoint answers with HTTP 503.')
    metadata.sawTrade(mintOf(9), at(8))
    await clock.pass(0)
    for (let call = 0; call < 3; call++) for (const number of [1, 2]) metadata.sawQuestion(mintOf(number))
    metadata.sawTrade(mintOf(3), at(8))
    metadata.sawPair(aPair(4), at(8))
    chain.failing = undefined
    await clock.pass(5_000)

    expect(asked[1]?.mints).toEqual([4, 3, 9, 2, 1].map(mintOf))
    expect(asked.flatMap(({ mints }) => mints).filter((mint) => mint === mintOf(1))).toHaveLength(1)
    expect(tokens.find(mintOf(2))?.name).toBe('Nut 2')
    expect(pages).toEqual(['/2.json'])
  })

  // Guards pictures: asking for a token's address before it exists must not leave it without one.
  it('looks up a paired token even if it was asked for before it existed', async () => {
    const { clock, set, metadata, tokens, told } = setUp()
    metadata.sawQuestion(mintOf(1))
    await clock.pass(1_000)
    expect(tokens.find(mintOf(1))).toBeUndefined()

    set(1)
    metadata.sawPair(aPair(1), at(8))
    await clock.pass(1_000)

    expect(told).toHaveLength(1)
  })

  // Guards all events: mass creation of tokens must not block the stream.
  it('holds a limited number of mints, each recorded at once, however many strangers create and ask for', {
    timeout: 30_000,
  }, () => {
    const { metadata, chain } = setUp()
    chain.answer = () => new Promise(() => {})
    for (let number = 0; number < 400_000; number++) metadata.sawTrade(`trade ${number}`, at(number))
    for (let number = 0; number < 30_000; number++) metadata.sawQuestion(`question ${number}`)

    expect(metadata.stats().mintsWaiting).toBeLessThanOrEqual(6_000)
  })

  it('reads the new page of a token that changed it while the old one was read', async () => {
    const { clock, set, metadata, pages, chain, tokens, told } = setUp()
    set(1, { uri: 'https://page.example/old.json' })
    let open = () => {}
    chain.page = () => new Promise((resolve) => (open = resolve))
    metadata.sawPair(aPair(1), at(7))
    await clock.pass(0)
    tokens.apply([aNewPage(1)], at(12))
    chain.page = async () => {}
    open()
    await clock.pass(1_000)

    expect(pages).toEqual(['/old.json', '/new.json'])
    expect(told.at(-1)?.update.baseToken.info?.metadata?.logo).toBe(LOGO)
  })

  it('reads the new page of a token at its next pair or trade, though it has read the old one', async () => {
    const { clock, set, metadata, pages, tokens } = setUp()
    for (const number of [1, 2]) set(number, { uri: `https://page.example/${number}.json` })
    for (const number of [1, 2]) metadata.sawTrade(mintOf(number), at(7))
    await clock.pass(1_000)
    tokens.apply([1, 2].map(aNewPage), at(12))
    metadata.sawPair(aPair(1), at(12))
    metadata.sawTrade(mintOf(2), at(13))
    await clock.pass(1_000)

    expect(pages.slice(2)).toEqual(['/new.json', '/new.json'])
    expect(tokens.find(mintOf(1))?.description?.logo).toBe(LOGO)
  })

  // Guards the supply: a wrong one is worse than none.
  it('repeats a request when the supply changed between the answer and the chain as read', async () => {
    const { clock, set, metadata, asked, chain, tokens } = setUp({ slot: 10 })
    set(1, { supply: 1_000n })
    let open = () => {}
    chain.answer = () => new Promise((resolve) => (open = resolve))
    metadata.sawPair(aPair(1), at(7))
    await clock.pass(0)
    const burn: TokenChange = {
      ...{ account: keyOf(1), decimals: null, supply: -400n, metadata: {}, metadataAccount: null },
      ...{ mintAuthority: undefined, freezeAuthority: undefined, isUnsure: false },
    }
    tokens.apply([burn], at(12))
    chain.slot = 12
    chain.answer = async () => {}
    set(1, { supply: 600n })
    open()
    await clock.pass(1_000)

    expect(asked.map(({ mints }) => mints.length)).toEqual([1, 1, 1, 1])
    expect(tokens.find(mintOf(1))?.supply).toBe(600n)
    tokens.apply([{ ...burn, supply: -100n }], at(13))
    expect(tokens.find(mintOf(1))?.supply).toBe(500n)
  })

  it('ignores a mint that points at the metadata of another', async () => {
    const { clock, set, metadata, accounts, tokens } = setUp()
    set(2)
    accounts.set(mintOf(1), {
      owner: TOKEN_2022_PROGRAM,
      data: writeMintState({ mint: keyOf(1), decimals: 6, supply: 1n, pointer: metaplexAccountOf(keyOf(2)) }),
    })

    metadata.sawPair(aPair(1), at(7))
    await clock.pass(0)

    expect(tokens.find(mintOf(1))).toMatchObject({ decimals: 6, name: null, metadataAccount: null })
  })

  it('counts the share of pairs with a name and with a picture, at once and within a minute', async () => {
    const { clock, set, metadata } = setUp()
    for (const number of [1, 2]) set(number, { uri: 'https://page.example/1.json' })
    set(3)
    expect(metadata.stats()).toMatchObject({ pairs: 0, nameWithin1s: null })
    const named = { name: 'Nut', symbol: 'NUT', logo: null, socials: null }
    const info = { decimals: 6, supply: '1', metadata: named, mintAuthority: null, freezeAuthority: null }

    metadata.sawPair(aPair(1), at(7))
    await clock.pass(0)
    for (const number of [2, 3]) metadata.sawPair(aPair(number), at(7))
    metadata.sawPair(aPair(4, { baseToken: { account: mintOf(4), info } }), at(7))
    await clock.pass(30_000)
    metadata.sawPair(aPair(5), at(7))
    await clock.pass(61_000)

    expect(metadata.stats()).toMatchObject({
      ...{ pairs: 5, nameWithin1s: 0.8, nameWithin60s: 0.8 },
      ...{ pictureWithin1s: 0.4, pictureWithin60s: 0.4, bothWithin1s: 0.4, bothWithin60s: 0.4 },
    })
  })
})
