/** Writes pump.fun's calls: the opposite of this folder's layout. */
export {
  PUMPFUN_PROGRAM,
  PUMPFUN_SUPPLY,
  type PumpfunCurve,
  type PumpfunReserves,
} from './write-accounts.ts'
export * from './write-create.ts'
export * from './write-migrate.ts'
export * from './write-trade.ts'
export type { PumpfunTrade } from './write-trade-event.ts'
