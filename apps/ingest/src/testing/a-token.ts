import { encodeBase58 } from '@pairwire/contract'
import type { DecodedToken, TokenChange } from '@pairwire/decoders'
import type { ChainPoint } from '../tokens/known-token.ts'

/** An account's 32 bytes. */
export const aKey = (number: number) => new Uint8Array(32).fill(number)
export const addressOf = (number: number) => encodeBase58(aKey(number))
/** A position in the chain. */
export const at = (slot: number, transactionIndex = 0, run = 1): ChainPoint => ({
  run,
  slot,
  transactionIndex,
})

/** A change to an existing token. */
export const aChange = (fields: Partial<TokenChange> = {}): TokenChange => ({
  account: aKey(1),
  decimals: null,
  supply: 0n,
  mintAuthority: undefined,
  freezeAuthority: undefined,
  metadata: {},
  metadataAccount: null,
  isUnsure: false,
  ...fields,
})

/** A token created by its transaction. */
export const aMadeToken = (fields: Partial<TokenChange> = {}) =>
  aChange({
    decimals: 6,
    supply: 1_000n,
    mintAuthority: aKey(2),
    freezeAuthority: null,
    metadata: { name: 'Nut', symbol: 'NUT', uri: 'ipfs://nut' },
    metadataAccount: aKey(5),
    ...fields,
  })

/** A token of a pair whose own transaction has its decimals. */
export const aPairToken = (fields: Partial<DecodedToken> = {}): DecodedToken => ({
  mint: addressOf(1),
  decimals: 6,
  supply: null,
  name: null,
  symbol: null,
  uri: null,
  mintAuthority: null,
  freezeAuthority: null,
  ...fields,
})
