import {
  ByteWriter,
  type Call,
  type TransactionDraft,
  writeInitializeMint,
  writeInitializeTokenMetadata,
  writeMintTo,
  writeRevokeMintAuthority,
} from '@pairwire/chain-writer'
import { encodeBase58, WRAPPED_SOL } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { CallTree } from './call-tree.ts'
import { REGISTRY } from './registry.ts'
import { METADATA_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './spl-token/layout.ts'
import { address, aKey, aMovement, aTransaction, routed } from './testing/transactions.ts'
import { readTokenFacts } from './token-facts.ts'

const MINT = aKey(1)
const AUTHORITY = aKey(2)
const FREEZER = aKey(3)
const HOLDER = aKey(4)
const TOKEN = address(TOKEN_PROGRAM)

const minted = (amount: bigint) => writeMintTo(TOKEN, MINT, HOLDER, AUTHORITY, amount)
const made = writeInitializeMint(TOKEN, MINT, 6, AUTHORITY)

function factsOf(calls: Call[], draft: Partial<TransactionDraft> = {}) {
  return readTokenFacts(new CallTree(aTransaction({ calls, ...draft }), REGISTRY), encodeBase58(MINT))
}

describe('readTokenFacts', () => {
  it('adds up what was made and burned of a mint that the transaction made', () => {
    const burn = {
      program: TOKEN,
      accounts: [HOLDER, MINT, AUTHORITY],
      data: new ByteWriter().u8(8).u64(30n).finish(),
    }

    const facts = factsOf([made, routed(minted(100n)), minted(50n), burn])

    expect(facts).toMatchObject({ decimals: 6, supply: 120n, mintAuthority: encodeBase58(AUTHORITY) })
  })

  it('follows authorities to where they stand at the end', () => {
    const frozen = {
      ...made,
      data: new ByteWriter().u8(20).u8(6).bytes(AUTHORITY).u8(1).bytes(FREEZER).finish(),
    }
    const passed = {
      program: TOKEN,
      accounts: [MINT, FREEZER],
      data: new ByteWriter().u8(6).u8(1).u8(1).bytes(HOLDER).finish(),
    }

    expect(factsOf([frozen])).toMatchObject({ freezeAuthority: encodeBase58(FREEZER) })
    expect(factsOf([frozen, passed, writeRevokeMintAuthority(TOKEN, MINT, AUTHORITY)])).toMatchObject({
      freezeAuthority: encodeBase58(HOLDER),
      mintAuthority: null,
    })
  })

  it('knows no supply of a mint that was there before', () => {
    const movements = [aMovement(HOLDER, encodeBase58(MINT), 1n, 2n, 4)]

    expect(factsOf([minted(5n)], { movements })).toEqual({
      decimals: 4,
      supply: null,
      metadata: null,
      mintAuthority: null,
      freezeAuthority: null,
    })
  })

  it('knows no supply when the record lost the bytes of what touched the mint', () => {
    const lost = { ...minted(5n), data: new Uint8Array(0) }

    expect(factsOf([made, lost])).toMatchObject({ decimals: 6, supply: null, mintAuthority: null })
  })

  it.each([
    ['CreateMetadataAccount', 0, 1],
    ['CreateMetadataAccountV2', 16, 1],
    ['CreateMetadataAccountV3', 33, 1],
    ['Create', 42, 2],
  ])('reads the name that %s of Metaplex gives, without its padding', (_, tag, place) => {
    const data = new ByteWriter().u8(tag)
    if (tag === 42) data.u8(0)
    data.string('Nut\0\0').string('NUT\0').string('https://example.org')
    const accounts = [aKey(9), aKey(8), aKey(7)]
    accounts[place] = MINT
    const call = { program: address(METADATA_PROGRAM), accounts, data: data.finish() }

    expect(factsOf([made, call]).metadata).toEqual({ name: 'Nut', symbol: 'NUT', uri: 'https://example.org' })
  })

  it('reads the name that a Token-2022 mint keeps in itself', () => {
    const token = address(TOKEN_2022_PROGRAM)
    const calls = [
      writeInitializeMint(token, MINT, 6, AUTHORITY),
      writeInitializeTokenMetadata(MINT, AUTHORITY, 'Nut', 'NUT', 'ipfs://nut'),
    ]

    expect(factsOf(calls).metadata).toEqual({ name: 'Nut', symbol: 'NUT', uri: 'ipfs://nut' })
  })

  it('leaves the names of other mints alone', () => {
    const call = {
      program: address(METADATA_PROGRAM),
      accounts: [aKey(9), aKey(8), MINT],
      data: new ByteWriter().u8(33).string('Other').string('O').string('').finish(),
    }

    expect(factsOf([call]).metadata).toBeNull()
  })

  it('knows the decimals of wrapped SOL without a record', () => {
    const tree = new CallTree(aTransaction({}), REGISTRY)

    expect(readTokenFacts(tree, WRAPPED_SOL)).toMatchObject({ decimals: 9, supply: null })
  })
})
