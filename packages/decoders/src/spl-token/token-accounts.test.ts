import { writeMetaplexAccount, writeMintState } from '@pairwire/chain-double'
import { encodeBase58 } from '@pairwire/contract'
import { address, getAddressEncoder, getProgramDerivedAddress } from '@solana/kit'
import { describe, expect, it } from 'vitest'
import { TruncatedError } from '../byte-reader.ts'
import { keyOf } from '../key-table.ts'
import { METADATA_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './layout.ts'
import { metaplexAccountOf, readMetadataState, readMintState } from './token-accounts.ts'

const USDC = keyOf('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v')
const MINT = new Uint8Array(32).fill(1)
const OTHER = new Uint8Array(32).fill(2)
const METADATA = { name: 'Nut', symbol: 'NUT', uri: 'https://nut.example/1.json' }
const fields = { mint: MINT, decimals: 6, supply: 2n ** 64n - 1n }

describe('accounts of tokens', () => {
  it('tell decimals, supply and authorities of a mint, and where Metaplex keeps its metadata', () => {
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

  it('tell the metadata that a Token-2022 mint keeps itself', () => {
    const data = writeMintState({ ...fields, freezeAuthority: OTHER, pointer: MINT, metadata: METADATA })

    expect(readMintState(MINT, TOKEN_2022_PROGRAM, data)).toMatchObject({
      freezeAuthority: encodeBase58(OTHER),
      metadata: METADATA,
      metadataAccount: null,
    })
  })

  it('tell the account to which a Token-2022 mint points, and Metaplex’s where it points at none', () => {
    const named = writeMintState({ ...fields, pointer: OTHER })
    const unset = writeMintState({ ...fields, pointer: new Uint8Array(32) })

    expect(readMintState(MINT, TOKEN_2022_PROGRAM, named)?.metadataAccount).toBe(encodeBase58(OTHER))
    expect(readMintState(MINT, TOKEN_2022_PROGRAM, unset)?.metadataAccount).toBe(
      encodeBase58(metaplexAccountOf(MINT)),
    )
  })

  it('take no metadata that a mint keeps of another', () => {
    const data = writeMintState({ ...fields, mint: OTHER, metadata: METADATA })

    expect(readMintState(MINT, TOKEN_2022_PROGRAM, data)?.metadata).toBeNull()
  })

  it('tell what Metaplex keeps, without its padding, and of which mint', () => {
    const data = writeMetaplexAccount(MINT, METADATA)

    expect(readMetadataState(METADATA_PROGRAM, data)).toEqual({
      mint: encodeBase58(MINT),
      metadata: METADATA,
    })
  })

  it('are none of ours when another program owns them, or they are of another kind', () => {
    const mint = writeMintState(fields)
    const metadata = writeMetaplexAccount(MINT, METADATA)

    expect(readMintState(MINT, METADATA_PROGRAM, mint)).toBeUndefined()
    expect(readMintState(MINT, TOKEN_PROGRAM, mint.subarray(0, 81))).toBeUndefined()
    expect(readMintState(MINT, TOKEN_PROGRAM, new Uint8Array(82))).toBeUndefined()
    expect(readMintState(MINT, TOKEN_2022_PROGRAM, new Uint8Array(165))).toBeUndefined()
    expect(readMetadataState(TOKEN_PROGRAM, metadata)).toBeUndefined()
    expect(readMetadataState(METADATA_PROGRAM, new Uint8Array(679))).toBeUndefined()
  })

  it('are refused where they end early, wherever that is', () => {
    const mint = writeMintState({ ...fields, pointer: MINT, metadata: METADATA })
    const metadata = writeMetaplexAccount(MINT, METADATA)

    for (let length = 171; length < mint.length; length++) {
      const read = () => readMintState(MINT, TOKEN_2022_PROGRAM, mint.subarray(0, length))
      if (length >= 234 && length < 238) expect(read()?.metadata).toBeNull()
      else expect(read, String(length)).toThrow(TruncatedError)
    }
    for (let length = 1; length < 100; length++) {
      expect(() => readMetadataState(METADATA_PROGRAM, metadata.subarray(0, length))).toThrow(TruncatedError)
    }
  })

  it('are found where the official client derives them', async () => {
    const encode = getAddressEncoder().encode
    for (const mint of [USDC, MINT, OTHER]) {
      const program = address(METADATA_PROGRAM)
      const seeds = ['metadata', encode(program), mint]
      const [derived] = await getProgramDerivedAddress({ programAddress: program, seeds })

      expect(encodeBase58(metaplexAccountOf(mint))).toBe(derived)
    }
  })
})
