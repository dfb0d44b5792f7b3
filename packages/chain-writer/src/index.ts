/**
 * The opposite of decoding: transactions written in the programs' own layouts, for the simulator and for tests.
 * Nothing that reads the chain needs it.
 */
export * from './accounts/write.ts'
export * from './byte-writer.ts'
export * from './pumpfun/write.ts'
export * from './pumpswap/write.ts'
export * from './raydium-amm-v4/write.ts'
export * from './raydium-cpmm/write.ts'
export * from './raydium-launchlab/write.ts'
export * from './spl-token/write.ts'
export * from './vault-pools/write.ts'
export * from './write-event.ts'
export * from './write-transaction.ts'
