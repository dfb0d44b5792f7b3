import { key, SYSTEM_PROGRAM } from '../spl-token/write.ts'

/**
 * The program whose calls are written here with their events, in the layout of October 2026 (`create_v2`, trades
 * of v3 beside older ones, events up to `creator_fee_unclaimed` and `depth`).
 *
 * @see https://github.com/pump-fun/pump-public-docs/blob/main/idl/pump.json
 */
export const PUMPFUN_PROGRAM = key('6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P')

/** Accounts that every call names, as they stand on mainnet. */
export const GLOBAL = key('4wTV1YmiEkRvAtNtsSGPtUrqRYQMe5SKy2uB4Jjaxnjf')
export const MINT_AUTHORITY = key('TSLvdd1pWpHVjahSpsvCXUbgwsL3JAcvokwaKt1eokM')
export const FEE_RECIPIENT = key('62qc2CNXwrYqQScmEdiZFFAnJR262PxWEuNQtxfafNgV')
export const EVENT_AUTHORITY = key('Ce6TQqeHC9p8KetsN6JsjHK7UTZk7nasjjnr7XxXp9F1')
export const VOLUME_ACCUMULATOR = key('Hq2wp8uJ9jCPsYgNHex8RtqdvMPfVGoYwjvF1ATiwn2Y')
export const FEE_CONFIG = key('8Wf5TiAheLUqBrKXeYg2JtAFFMWtKdG2BSFgqUcPVwTt')
export const FEE_PROGRAM = key('pfeeUxB6jkeY1Hxd7CsFCAjcbHA9rWtchMGdZ6VojVZ')
export const MAYHEM_PROGRAM = key('MAyhSmzXzV1pTf7LsNkrNwkWKTo4ougAJ1PPg47MD4e')
export const MAYHEM_PARAMS = key('13ec7XdrjF3h3YcqBTFDSReRcUFwbCnJaAQspM4j6DDJ')
export const MAYHEM_VAULT = key('BwWK17cbHxwWBKZkUYvzxLcNQ1YVyaFezduWbtm2de6s')
export const WITHDRAW_AUTHORITY = key('39azUYFWPz3VHgKCf3VChUwbpURdCHRxjWVowf5jUJjg')
/** Gets half of the protocol's fee with each trade. */
export const BUYBACK_RECIPIENT = key('3BpXnfJaUTiwXnJNe7Ej1rcbzqTTQUvLShZaWazebsVR')
export const WRAPPED_SOL_MINT = key('So11111111111111111111111111111111111111112')
/** The default address, by which SOL is meant where a quote mint is asked for. */
export const NO_MINT = SYSTEM_PROGRAM

/** Raw units of every coin made, 6 decimals. */
export const PUMPFUN_SUPPLY = 1_000_000_000_000_000n

/** The accounts of one bonding curve. */
export type PumpfunCurve = Readonly<{
  mint: Uint8Array
  curve: Uint8Array
  /** Holds the tokens not yet sold. */
  curveTokens: Uint8Array
  creator: Uint8Array
  creatorVault: Uint8Array
  /** TOKEN_2022_PROGRAM for coins of `create_v2`, TOKEN_PROGRAM for those of `create`. */
  tokenProgram: Uint8Array
  /** Present for a coin that is priced in another token than SOL. */
  quote?: Readonly<{ mint: Uint8Array; decimals: number; curveQuote: Uint8Array }>
}>

/** The curve's state after a call: raw units of the coin and of its quote. */
export type PumpfunReserves = Readonly<{
  virtualTokens: bigint
  virtualQuote: bigint
  realTokens: bigint
  realQuote: bigint
}>
