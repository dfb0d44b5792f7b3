import { key, PROGRAMS, type WrittenMint } from '../spl-token/write.ts'
import { writeEvent } from '../write-event.ts'
import type { Step } from '../write-transaction.ts'

/**
 * The program whose calls and events are written here, in the layout of October 2026 (trades of v2 and older, events up
 * to `creator_fee_unclaimed`).
 *
 * @see https://github.com/pump-fun/pump-public-docs/blob/main/idl/pump_amm.json
 */
export const PUMPSWAP_PROGRAM = key('pAMMBay6oceH9fJKBRHGP5D4bD4sWpmSwMn52FMfXEA')

/** Accounts in every call, as on mainnet. */
export const FIXED = {
  ...PROGRAMS,
  program: PUMPSWAP_PROGRAM,
  globalConfig: key('ADyA8hdefvWN2dbGGWFotbzWxrAvLW83WG6QCVXvJKqw'),
  eventAuthority: key('GS4CU59F31iL7aR2Q8zVS8DRrcRnXX1yjQ66TqNVQnaR'),
  feeRecipient: key('JCRGumoE9Qi5BBgULTgdgTLjSgkCMSbF62ZZfGs84JeU'),
  feeProgram: key('pfeeUxB6jkeY1Hxd7CsFCAjcbHA9rWtchMGdZ6VojVZ'),
  feeConfig: key('5PHirr8joyTMp9JMm6nW7hNDVyEYdkzDqazxPD7RaTjx'),
  volume: key('C2aFPdENg4A2HQsmrd5rTw5TaYBX5Ku887cWjbFKtZpw'),
}
/** The default address: nobody. */
export const NOBODY = PROGRAMS.system

/** The accounts of one pool, in the program's own order of base and quote. */
export type PumpswapPool = Readonly<{
  pool: Uint8Array
  base: WrittenMint
  quote: WrittenMint
  baseVault: Uint8Array
  quoteVault: Uint8Array
  lpMint: Uint8Array
  coinCreator: Uint8Array
  creatorVault: Uint8Array
  /** The protocol's quote account; for trades that keep their fees, the one for buybacks. */
  protocolVault: Uint8Array
}>

/** Writes an event that the program logs and sends to itself. */
export function writePumpswapEvent(event: Uint8Array): readonly Step[] {
  return writeEvent(PUMPSWAP_PROGRAM, FIXED.eventAuthority, event)
}
