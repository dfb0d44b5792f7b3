import { writeMetaplexAccount, writeMintState } from '@pairwire/chain-double'
import { encodeBase58 } from '@pairwire/contract'
import { address, getAddressEncoder, getProgramDerivedAddress } from '@solana/kit'
import { describe, expect, it } from 'vitest'
import { TruncatedError } from '../bytes/byte-reader.ts'
import { keyOf } from '../bytes/key-table.ts'
import { METADATA_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './layout.ts'
import { metaplexAccountOf, readMetadataState, readMintState } from './token-accounts.ts'

const USDC = keyOf('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v')
const MINT = new Uint8Array(32).fill(1)
const OTHER = new Uint8Array(32).fill(2)
const METADATA = { name: 'Nut', symbol: 'NUT', uri: 'https://nut.example/1.json' }
const fields = { mint: MINT, decimals: 6, supply: 2n ** 64n - 1n }

describe('accounts of tokens', () => {
  it("contain decimals, supply and authorities of a mint, and the address of Metaplex's metadata", () => {
    const data = writeMintState({ ...fields, mintAuthority: OTHER, freezeAuthority: null })

    expect(readMintState(MINT, TOKEN_PROGRAM, data)).toEqual({
      decimals: 6,
      supply: 2n ** 64n - 1n,
      mintAuthority: encodeBase58(OTHER),
      freezeAuthority: null,
      metadata: null,
      metadataAccount: encodeBase58(metaplexAccountOf(MINT)),
    })
  })

  it('contain the metadata in a Token-2022 mint itself', () => {
    const data = writeMintState({ ...fields, freezeAuthority: OTHER, pointer: MINT, metadata: METADATA })

    expect(readMintState(MINT, TOKEN_2022_PROGRAM, data)).toMatchObject({
      freezeAuthority: encodeBase58(OTHER),
      metadata: METADATA,
      metadataAccount: null,
    })
  })

  it('contain the account to which a Token-2022 mint points, and Metaplex’s if it points at none', () => {
    const named = writeMintState({ ...fields, pointer: OTHER })
    const unset = writeMintState({ ...fields, pointer: new Uint8Array(32) })

    expect(readMintState(MINT, TOKEN_2022_PROGRAM, named)?.metadataAccount).toBe(encodeBase58(OTHER))
    expect(readMintState(MINT, TOKEN_2022_PROGRAM, unset)?.metadataAccount).toBe(
      encodeBase58(metaplexAccountOf(MINT)),
    )
  })

  it('ignore metadata of another mint', () => {
    const data = writeMintState({ ...fields, mint: OTHER, metadata: METADATA })

    expect(readMintState(MINT, TOKEN_2022_PROGRAM, data)?.metadata).toBeNull()
  })

  it("contain Metaplex's metadata, without its padding, and its mint", () => {
    const data = writeMetaplexAccount(MINT, METADATA)

    expect(readMetadataState(METADATA_PROGRAM, data)).toEqual({
      mint: encodeBase58(MINT),
      metadata: METADATA,
    })
  })

  it('are ignored when another program owns them, or they are of another kind', () => {
    const mint = writeMintState(fields)
    const metadata = writeMetaplexAccount(MINT, METADATA)

    expect(readMintState(MINT, METADATA_PROGRAM, mint)).toBeUndefined()
    expect(readMintState(MINT, TOKEN_PROGRAM, mint.subarray(0, 81))).toBeUndefined()
    expect(readMintState(MINT, TOKEN_PROGRAM, new Uint8Array(82))).toBeUndefined()
    expect(readMintState(MINT, TOKEN_2022_PROGRAM, new Uint8Array(165))).toBeUndefined()
    expect(readMetadataState(TOKEN_PROGRAM, metadata)).toBeUndefined()
    expect(readMetadataState(METADATA_PROGRAM, new Uint8Array(679))).toBeUndefined()
  })

  it('contain the metadata after other extensions, padding and custom fields of any length', () => {
    const extension = (kind: number, length: number) => {
      const head = Buffer.alloc(4 + length, 7)
      head.writeUInt16LE(kind)
      head.writeUInt16LE(length, 2)
      return head
    }
    const plain = writeMintState({ ...fields, pointer: MINT, metadata: METADATA })
    const [base, own] = [plain.subarray(0, 166), plain.subarray(166)]
    // As launchpads create them: fee, close authority and hook, with groups after.
    const between = [extension(1, 108), extension(3, 32), extension(14, 64)]
    const behind = [extension(20, 64), Buffer.alloc(11)]

    const long = Buffer.concat([base, ...between, own, ...behind])
    expect(readMintState(MINT, TOKEN_2022_PROGRAM, long)).toMatchObject({
      ...{ decimals: 6, metadata: METADATA, metadataAccount: null },
    })
    // Only the first two kB are requested of one with 60 kB of further fields.
    const large = Buffer.from(own)
    large.writeUInt16LE(60_000, 68 + 2)
    const cut = Buffer.concat([base, ...between, large, Buffer.alloc(1_000)])
    expect(readMintState(MINT, TOKEN_2022_PROGRAM, cut)?.metadata).toEqual(METADATA)
  })

  it('of a mint whose extensions are truncated contain what comes before', () => {
    const mint = writeMintState({ ...fields, pointer: MINT, metadata: METADATA })

    const texts = mint.length - 4 // no further fields
    for (let length = 166; length < texts; length += 7) {
      const state = readMintState(MINT, TOKEN_2022_PROGRAM, mint.subarray(0, length))
      expect(state, String(length)).toMatchObject({ decimals: 6, supply: fields.supply, metadata: null })
    }
    expect(readMintState(MINT, TOKEN_2022_PROGRAM, mint.subarray(0, texts))?.metadata).toEqual(METADATA)
  })

  it('are refused when Metaplex’s end early, wherever that is', () => {
    const metadata = writeMetaplexAccount(MINT, METADATA)

    for (let length = 1; length < 100; length++) {
      expect(() => readMetadataState(METADATA_PROGRAM, metadata.subarray(0, length))).toThrow(TruncatedError)
    }
  })

  it('have the addresses that the official client derives', async () => {
    const encode = getAddressEncoder().encode
    for (const mint of [USDC, MINT, OTHER]) {
      const program = address(METADATA_PROGRAM)
      const seeds = ['metadata', encode(program), mint]
      const [derived] = await getProgramDerivedAddress({ programAddress: program, seeds })

      expect(encodeBase58(metaplexAccountOf(mint))).toBe(derived)
    }
  })
})
