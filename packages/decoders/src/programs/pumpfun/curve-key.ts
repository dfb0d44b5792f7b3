import { programAddress } from '../../bytes/program-address.ts'
import { PROGRAM_ID } from './layout.ts'

/** Returns the curve of a coin, which the program derives from the coin's mint. */
export function curveKey(mint: Uint8Array): Uint8Array {
  return programAddress([SEED, mint], PROGRAM_ID)
}

const SEED = new TextEncoder().encode('bonding-curve')
