import { ByteReader } from '../byte-reader.ts'
import { DiscriminatorTable } from '../discriminator.ts'

/**
 * Heaven in bytes: pools with a virtual reserve of SOL, open from a token's first moment.
 *
 * @see https://github.com/sevenlabs-hq/carbon (heaven-decoder, 9dc3c3a)
 */
export const PROGRAM_ID = 'HEAVENoP2qxoeuF8Dj2oT1GHEnu49U5mJYkdeC8BAX2o'

/** What an instruction is to us. */
type HeavenInstruction = 'trade' | 'create' | 'other'

/** Every instruction of the program by its discriminator. */
export const INSTRUCTIONS = new DiscriminatorTable<HeavenInstruction>({
  '66063d1201daebea': 'trade', // buy
  '33e685a4017f83ad': 'trade', // sell
  '2a2b7e38e70ad035': 'create', // create_standard_liquidity_pool
  cc485fd7acc089fc: 'other', // admin_borrow_sol
  '7c303cc7cb312429': 'other', // admin_claim_msol
  '18a3dcabe1dea6f8': 'other', // admin_claim_staking_rewards
  b627a819603f4c11: 'other', // admin_claim_standard_creator_trading_fees
  cebdd0a61351ca30: 'other', // admin_deposit_msol
  '8cca39c361d5a813': 'other', // admin_mint_msol
  '883d30e8a61acf2e': 'other', // admin_repay_sol
  fdda8dfc2809079a: 'other', // admin_unstake_msol
  '63e4293fddf4c8c7': 'other', // admin_update_standard_liquidity_pool_state
  f9db8d48d26ed863: 'other', // admin_withdraw_msol
  '754fa4cb7e4816f6': 'other', // admin_withdraw_transfer_fee
  '00c9e2e47f2d456e': 'other', // claim_standard_creator_trading_fee_protocol_fees
  a559dd34aaf9226f: 'other', // claim_standard_creator_trading_fees
  '54ce8cf53fd440ed': 'other', // claim_standard_protocol_trading_fees
  '4694259366141e17': 'other', // claim_standard_reflection_trading_fees
  '4f48302777032a74': 'other', // close_protocol_lookup_table
  '157eb014556f351f': 'other', // create_or_update_protocol_fee_admin
  aa7c802830698b94: 'other', // create_or_update_protocol_owner
  '04acc4d578321e89': 'other', // create_or_update_protocol_staking_admin
  '7372186f0e3571fe': 'other', // create_protocol_config
  f9036399a8f1f3e4: 'other', // create_protocol_lookup_table
  da0c583a962c9848: 'other', // deactivate_protocol_lookup_table
  '07e3c6016b711f58': 'other', // extend_protocol_lookup_table
  '00cdedf01b4f1b3b': 'other', // initialize_protocol_lending
  b552130f7ecd98f2: 'other', // set_protocol_slot_fees
  dffce73e60dbf1d6: 'other', // update_allow_create_pool
  f6e5c84f1f157819: 'other', // update_creator_trading_fee_receiver
  c5617b36dda80b87: 'other', // update_protocol_config
  '40f4bc78a7e9690a': 'other', // Anchor's own, which keeps the IDL on the chain
})

/** Places of a trade's accounts. */
export const TRADE_ACCOUNTS = { pool: 4, user: 5, mintA: 6, mintB: 7, vaultA: 10, vaultB: 11 } as const
/** Places of a creation's accounts. */
export const CREATE_ACCOUNTS = {
  user: 3,
  payer: 4,
  mintA: 5,
  mintB: 6,
  userA: 7,
  vaultA: 8,
  vaultB: 9,
  pool: 10,
} as const

/**
 * Raw units that the creator buys in the creation itself; 0 for none.
 *
 * @param data of a creation, discriminator included. @throws TruncatedError when it ends too early.
 */
export function readInitialPurchase(data: Uint8Array): bigint {
  const reader = new ByteReader(data, 8)
  reader.skip(2) // protocol_config_version
  reader.skip(reader.u32()) // encoded_user_defined_event_data
  return reader.u64()
}
