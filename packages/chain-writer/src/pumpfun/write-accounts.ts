import { key, PROGRAMS } from '../spl-token/write.ts'
import { writeEvent } from '../write-event.ts'
import type { Step } from '../write-transaction.ts'

/**
 * The program whose calls and events are written here, in the layout of October 2026 (`create_v2`, trades of v3 and
 * older, events up to `creator_fee_unclaimed` and `depth`).
 *
 * @see https://github.com/pump-fun/pump-public-docs/blob/main/idl/pump.json
 */
export const PUMPFUN_PROGRAM = key('6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P')

/** Accounts in every call, as on mainnet. */
export const FIXED = {
  ...PROGRAMS,
  program: PUMPFUN_PROGRAM,
  global: key('4wTV1YmiEkRvAtNtsSGPtUrqRYQMe5SKy2uB4Jjaxnjf'),
  mintAuthority: key('TSLvdd1pWpHVjahSpsvCXUbgwsL3JAcvokwaKt1eokM'),
  feeRecipient: key('62qc2CNXwrYqQScmEdiZFFAnJR262PxWEuNQtxfafNgV'),
  eventAuthority: key('Ce6TQqeHC9p8KetsN6JsjHK7UTZk7nasjjnr7XxXp9F1'),
  volume: key('Hq2wp8uJ9jCPsYgNHex8RtqdvMPfVGoYwjvF1ATiwn2Y'),
  feeConfig: key('8Wf5TiAheLUqBrKXeYg2JtAFFMWtKdG2BSFgqUcPVwTt'),
  feeProgram: key('pfeeUxB6jkeY1Hxd7CsFCAjcbHA9rWtchMGdZ6VojVZ'),
  mayhemProgram: key('MAyhSmzXzV1pTf7LsNkrNwkWKTo4ougAJ1PPg47MD4e'),
  mayhemParams: key('13ec7XdrjF3h3YcqBTFDSReRcUFwbCnJaAQspM4j6DDJ'),
  mayhemVault: key('BwWK17cbHxwWBKZkUYvzxLcNQ1YVyaFezduWbtm2de6s'),
  withdrawAuthority: key('39azUYFWPz3VHgKCf3VChUwbpURdCHRxjWVowf5jUJjg'),
  /** Gets half of the protocol's fee with each trade. */
  buybackRecipient: key('3BpXnfJaUTiwXnJNe7Ej1rcbzqTTQUvLShZaWazebsVR'),
}
export const WRAPPED_SOL_MINT = key('So11111111111111111111111111111111111111112')
/** The default address, which means SOL as a quote mint. */
export const NO_MINT = PROGRAMS.system

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
  /** Set for a coin priced in a token other than SOL. */
  quote?: Readonly<{ mint: Uint8Array; decimals: number; curveQuote: Uint8Array }>
}>

/** Returns the coin of a curve. */
export function coinOf({ mint, tokenProgram }: PumpfunCurve) {
  return { key: mint, decimals: 6, tokenProgram }
}

/** The curve's state after a call: raw units of the coin and of its quote. */
export type PumpfunReserves = Readonly<{
  virtualTokens: bigint
  virtualQuote: bigint
  realTokens: bigint
  realQuote: bigint
}>

/** Writes an event that the program logs and sends to itself. */
export function writePumpfunEvent(event: Uint8Array): readonly Step[] {
  return writeEvent(PUMPFUN_PROGRAM, FIXED.eventAuthority, event)
}
