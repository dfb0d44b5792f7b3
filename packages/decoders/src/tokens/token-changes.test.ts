import {
  ByteWriter,
  type Call,
  writeInitializeMint,
  writeInitializeTokenMetadata,
  writeMintTo,
  writeRevokeMintAuthority,
  writeTransfer,
} from '@pairwire/chain-writer'
import { describe, expect, it } from 'vitest'
import { address, aKey, decodeCalls, routed } from '../testing/transactions.ts'
import { METADATA_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './layout.ts'

const MINT = aKey(1)
const AUTHORITY = aKey(2)
const FREEZER = aKey(3)
const HOLDER = aKey(4)
const METADATA = aKey(5)
const TOKEN = address(TOKEN_PROGRAM)
const TOKEN_2022 = address(TOKEN_2022_PROGRAM)

const minted = (amount: bigint) => writeMintTo(TOKEN, MINT, HOLDER, AUTHORITY, amount)
const made = writeInitializeMint(TOKEN, MINT, 6, AUTHORITY)
const burned = (amount: bigint): Call => ({
  program: TOKEN,
  accounts: [HOLDER, MINT, AUTHORITY],
  data: new ByteWriter().u8(8).u64(amount).finish(),
})
const named = (data: ByteWriter) => data.string('Nut\0\0').string('NUT\0').string('https://example.org')
const NUT = { name: 'Nut', symbol: 'NUT', uri: 'https://example.org' }
const metaplex = (accounts: Uint8Array[], data: ByteWriter): Call => ({
  program: address(METADATA_PROGRAM),
  accounts,
  data: data.finish(),
})

const changesOf = (calls: Call[], draft = {}) => decodeCalls(calls, draft).tokens
const changeOf = (calls: Call[]) => changesOf(calls)?.find((change) => change.account === MINT)

describe('TokenChanges', () => {
  it('sums what was minted and burned of a mint created in the transaction', () => {
    const change = changeOf([made, routed(minted(100n)), minted(50n), burned(30n)])

    expect(change).toMatchObject({ decimals: 6, supply: 120n, mintAuthority: AUTHORITY })
  })

  it('follow authorities to their final state', () => {
    const frozen = {
      ...made,
      data: new ByteWriter().u8(20).u8(6).bytes(AUTHORITY).u8(1).bytes(FREEZER).finish(),
    }
    const passed = {
      program: TOKEN,
      accounts: [MINT, FREEZER],
      data: new ByteWriter().u8(6).u8(1).u8(1).bytes(HOLDER).finish(),
    }

    expect(changeOf([frozen])).toMatchObject({ freezeAuthority: FREEZER })
    expect(changeOf([frozen, passed, writeRevokeMintAuthority(TOKEN, MINT, AUTHORITY)])).toMatchObject({
      freezeAuthority: HOLDER,
      mintAuthority: null,
    })
  })

  it('contain what happened to an older mint, and nothing else of it', () => {
    expect(changesOf([minted(5n), burned(7n)])).toEqual([
      {
        account: MINT,
        decimals: null,
        supply: -2n,
        mintAuthority: undefined,
        freezeAuthority: undefined,
        metadata: {},
        metadataAccount: null,
        isUnsure: false,
      },
    ])
    expect(changeOf([writeRevokeMintAuthority(TOKEN, MINT, AUTHORITY)])).toMatchObject({
      mintAuthority: null,
      freezeAuthority: undefined,
    })
  })

  it('count the calls in a batch, and a burn that needs a further signature in Token-2022', () => {
    const batch = {
      program: TOKEN,
      accounts: [MINT, HOLDER, AUTHORITY],
      data: new ByteWriter().u8(255).u8(3).u8(9).u8(7).u64(40n).finish(),
    }
    const permitted = {
      program: TOKEN_2022,
      accounts: [HOLDER, MINT, FREEZER, AUTHORITY],
      data: new ByteWriter().u8(46).u8(1).u64(15n).finish(),
    }

    expect(changeOf([batch])).toMatchObject({ supply: 40n })
    expect(changeOf([permitted])).toMatchObject({ supply: -15n })
  })

  it('ignore transfers and failed transactions', () => {
    const moved = writeTransfer({
      tokenProgram: TOKEN,
      from: HOLDER,
      to: MINT,
      authority: AUTHORITY,
      amount: 1n,
    })

    expect(changesOf([moved])).toBeUndefined()
    expect(changesOf([made, minted(1n)], { failed: true })).toBeUndefined()
  })

  it('are unsure of every account of a call whose bytes are lost or end too early', () => {
    for (const data of [new Uint8Array(0), Uint8Array.of(7, 1), Uint8Array.of(255, 3, 9)]) {
      expect(changeOf([made, { ...minted(5n), data }])).toMatchObject({ decimals: 6, isUnsure: true })
    }
  })

  it.each([
    ['CreateMetadataAccount', 0, 1],
    ['CreateMetadataAccountV2', 16, 1],
    ['CreateMetadataAccountV3', 33, 1],
    ['Create', 42, 2],
  ])('contain the name from the %s of Metaplex, without its padding, and its account', (_, tag, place) => {
    const data = new ByteWriter().u8(tag)
    if (tag === 42) data.u8(0)
    const accounts = [METADATA, aKey(8), aKey(7)]
    accounts[place] = MINT

    const change = changeOf([metaplex(accounts, named(data))])

    expect(change).toMatchObject({ metadata: NUT, metadataAccount: METADATA })
  })

  it('keep a name that comes before the calls that create the mint', () => {
    const create = metaplex([METADATA, aKey(8), MINT], named(new ByteWriter().u8(42).u8(0)))

    expect(changeOf([{ ...create, steps: [made, minted(9n)] }])).toMatchObject({
      decimals: 6,
      supply: 9n,
      metadata: NUT,
    })
  })

  it.each([
    ['UpdateMetadataAccount', (data: ByteWriter) => data.u8(1).u8(1)],
    ['UpdateMetadataAccountV2', (data: ByteWriter) => data.u8(15).u8(1)],
  ])("contain the name that Metaplex's %s sets, under its account", (_, head) => {
    const update = metaplex([METADATA, AUTHORITY], named(head(new ByteWriter())))

    expect(changesOf([update])).toMatchObject([{ account: METADATA, metadata: NUT }])
  })

  it.each([
    ['the update authority', (data: ByteWriter) => data.u8(50).u8(1).u8(1).bytes(HOLDER).u8(1)],
    ['its delegate', (data: ByteWriter) => data.u8(50).u8(4).u8(1)],
  ])("contain the name that Metaplex's Update sets for %s", (_, head) => {
    const accounts = [AUTHORITY, aKey(8), aKey(7), MINT, METADATA]

    expect(changeOf([metaplex(accounts, named(head(new ByteWriter())))])).toMatchObject({
      metadata: NUT,
      metadataAccount: METADATA,
    })
  })

  it('ignore an update that leaves the name unchanged', () => {
    const accounts = [METADATA, AUTHORITY, aKey(7), MINT, aKey(9)]
    const rest = [
      new ByteWriter().u8(1), // no longer takes arguments
      new ByteWriter().u8(15).u8(0).u8(1).bytes(HOLDER),
      new ByteWriter().u8(50).u8(0).u8(0).u8(0),
      new ByteWriter().u8(50).u8(2).u8(0),
    ]

    for (const data of rest) expect(changesOf([metaplex(accounts, data)])).toBeUndefined()
  })

  it("use Metaplex's calls only if they are readable, without doubting a supply because of them", () => {
    const cut = metaplex([METADATA, MINT], new ByteWriter().u8(33).u8(200))

    expect(changesOf([cut])).toBeUndefined()
  })

  it('contain the name in a Token-2022 mint itself, and each field that is set later', () => {
    const field = (number: number, value: string): Call => ({
      program: TOKEN_2022,
      accounts: [MINT, AUTHORITY],
      data: new ByteWriter()
        .bytes(Uint8Array.of(0xdd, 0xe9, 0x31, 0x2d, 0xb5, 0xca, 0xdc, 0xc8))
        .u8(number)
        .string(value)
        .finish(),
    })
    const first = [
      writeInitializeMint(TOKEN_2022, MINT, 6, AUTHORITY),
      writeInitializeTokenMetadata(MINT, AUTHORITY, 'Nut', 'NUT', 'ipfs://nut'),
    ]

    expect(changeOf(first)?.metadata).toEqual({ name: 'Nut', symbol: 'NUT', uri: 'ipfs://nut' })
    expect(changeOf([...first, field(0, 'Oak')])?.metadata).toMatchObject({ name: 'Oak', symbol: 'NUT' })
    expect(changeOf([field(2, 'ipfs://oak')])?.metadata).toEqual({ uri: 'ipfs://oak' })
    // Numbers beyond the three are the token's custom fields.
    expect(changesOf([field(3, 'extra')])).toBeUndefined()
  })
})
