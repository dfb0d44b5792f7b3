import { accountList } from '../account-list.ts'
import { ByteWriter } from '../byte-writer.ts'
import { namesOf, writeLeg } from '../spl-token/write.ts'
import type { Call } from '../write-transaction.ts'
import { FIXED, PUMPSWAP_PROGRAM, type PumpswapPool, writePumpswapEvent } from './write-accounts.ts'

const SWEEP_PROTOCOL_FEE = Uint8Array.of(0x08, 0x30, 0xbe, 0x07, 0xb6, 0x44, 0xb7, 0xe5)
const SWEEP_CREATOR_FEE = Uint8Array.of(0x20, 0xf6, 0xbf, 0x34, 0x08, 0xc9, 0x49, 0xba)
const SWEEP_POOL_FEE_EVENT = Uint8Array.of(0x82, 0xa4, 0x24, 0x61, 0xe4, 0x82, 0x87, 0xa5)
const sweepAccounts = accountList(
  FIXED,
  'payer globalConfig pool quoteMint quoteProgram quoteVault recipient account system ata eventAuthority program',
)

/** Fields of a {@link writePumpswapSweep}. */
type PumpswapSweep = Readonly<{
  pool: PumpswapPool
  payer: Uint8Array
  of: 'protocol' | 'creator'
  amount: bigint
  timestamp: number
}>

/** Writes `sweep_protocol_fee` or `sweep_creator_fee`: waiting fees leave the quote vault; no trade. */
export function writePumpswapSweep({ pool, payer, of, amount, timestamp }: PumpswapSweep): Call {
  const isProtocol = of === 'protocol'
  const recipient = isProtocol ? FIXED.globalConfig : pool.coinCreator
  const account = isProtocol ? pool.protocolVault : pool.creatorVault
  const event = new ByteWriter(190)
    .bytes(SWEEP_POOL_FEE_EVENT)
    .i64(BigInt(timestamp))
    .bytes(pool.pool, pool.base.key, pool.quote.key, recipient, payer)
    .u64(amount)
    .u8(isProtocol ? 0 : 1)
    .finish()
  return {
    program: PUMPSWAP_PROGRAM,
    accounts: sweepAccounts({ ...namesOf(pool), payer, recipient, account }),
    data: isProtocol ? SWEEP_PROTOCOL_FEE : SWEEP_CREATOR_FEE,
    steps: [
      isProtocol ? 'log: Instruction: SweepProtocolFee' : 'log: Instruction: SweepCreatorFee',
      writeLeg(pool.quote, pool.quoteVault, account, pool.pool, amount),
      ...writePumpswapEvent(event),
    ],
  }
}
