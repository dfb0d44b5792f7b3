/**
 * The reverse of decoding: transactions in the programs' own layouts, for the simulator and for tests. Nothing that
 * reads the chain needs it.
 */
export * from './accounts/write.ts'
export * from './byte-writer.ts'
export {
  PUMPFUN_PROGRAM,
  PUMPFUN_SUPPLY,
  type PumpfunCurve,
  type PumpfunReserves,
} from './pumpfun/write-accounts.ts'
export * from './pumpfun/write-create.ts'
export * from './pumpfun/write-migrate.ts'
export * from './pumpfun/write-trade.ts'
export type { PumpfunTrade } from './pumpfun/write-trade-event.ts'
export { PUMPSWAP_PROGRAM, type PumpswapPool } from './pumpswap/write-accounts.ts'
export * from './pumpswap/write-create.ts'
export * from './pumpswap/write-sweep.ts'
export * from './pumpswap/write-trade.ts'
export * from './raydium-amm-v4/write.ts'
export * from './raydium-cpmm/write.ts'
export * from './raydium-launchlab/write.ts'
export * from './spl-token/write.ts'
export * from './vault-pools/write.ts'
export * from './write-event.ts'
export * from './write-transaction.ts'
