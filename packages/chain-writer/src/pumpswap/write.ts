/** Writes PumpSwap's calls: the opposite of the decoders' layout. */
export { PUMPSWAP_PROGRAM, type PumpswapPool } from './write-accounts.ts'
export * from './write-create.ts'
export * from './write-sweep.ts'
export * from './write-trade.ts'
