export * from './chain.ts'
export { type ChainTransaction, toChainTransaction } from './chain-transaction.ts'
export { createRandom, type Faults, noFaults } from './faults.ts'
export { encodeTransaction } from './geyser.ts'
export { STATUS as GRPC_STATUS } from './grpc-server.ts'
export { type Rpc, type RpcOptions, serveRpc } from './rpc.ts'
export {
  writeMetaplexAccount,
  writeMintState,
} from './token-accounts.ts'
export { serveYellowstone, type Yellowstone, type YellowstoneOptions } from './yellowstone.ts'
