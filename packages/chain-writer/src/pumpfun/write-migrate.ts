import { accountList } from '../account-list.ts'
import { ByteWriter } from '../byte-writer.ts'
import { writeLeg } from '../spl-token/write.ts'
import type { Call } from '../write-transaction.ts'
import {
  coinOf,
  FIXED,
  NO_MINT,
  PUMPFUN_PROGRAM,
  type PumpfunCurve,
  writePumpfunEvent,
} from './write-accounts.ts'

const MIGRATE = Uint8Array.of(0x9b, 0xea, 0xe7, 0x92, 0xec, 0x9e, 0xa2, 0x1e)
const MIGRATE_V2 = Uint8Array.of(0xbb, 0xcb, 0x12, 0x1f, 0xce, 0xed, 0xfe, 0x29)
const MIGRATION_EVENT = Uint8Array.of(0xbd, 0xe9, 0x5d, 0xb9, 0x5c, 0x94, 0xea, 0x94)

const migrateAccounts = accountList(
  FIXED,
  'global withdrawAuthority mint curve curveTokens user system tokenProgram pumpswap pool poolAuthority',
  'authorityTokens authorityQuote feeConfig quoteMint lpMint authorityTokens poolTokens poolQuote token2022 ata',
  'eventAuthority eventAuthority program rent',
)
const migrateV2Accounts = accountList(
  FIXED,
  'global withdrawAuthority mint quoteMint curve curveTokens curveQuote user system pumpswap pool poolAuthority',
  'authorityTokens authorityQuote feeConfig lpMint authorityTokens poolTokens poolQuote tokenProgram token',
  'token2022 ata eventAuthority rent eventAuthority program',
)

/** Fields of a {@link writePumpfunMigrate}. */
type PumpfunMigrate = Readonly<{
  curve: PumpfunCurve
  user: Uint8Array
  pool: Uint8Array
  poolAuthority: Uint8Array
  /** The pool authority's accounts that both tokens pass through. */
  authorityTokens: Uint8Array
  authorityQuote: Uint8Array
  quoteMint: Uint8Array
  lpMint: Uint8Array
  poolTokens: Uint8Array
  poolQuote: Uint8Array
  tokenAmount: bigint
  quoteAmount: bigint
  migrationFee: bigint
  timestamp: number
  /** PumpSwap's `create_pool`, and `init_boost` if the pool has one, as the migration calls them. */
  createPool: Call
  initBoost?: Call
}>

/** Writes `migrate`, or `migrate_v2` for a curve not priced in SOL: moves a completed curve to PumpSwap. */
export function writePumpfunMigrate(fields: PumpfunMigrate): Call {
  const { curve, user, createPool, tokenAmount, quoteAmount, migrationFee, pool } = fields
  const { quote } = curve
  const event = new ByteWriter(200)
    .bytes(MIGRATION_EVENT, user, curve.mint)
    .u64(tokenAmount, quoteAmount, migrationFee)
    .bytes(curve.curve)
    .i64(BigInt(fields.timestamp))
    .bytes(pool, quote?.mint ?? NO_MINT)
    .finish()
  const named = { ...fields, ...curve, pumpswap: createPool.program }
  return {
    program: PUMPFUN_PROGRAM,
    accounts: quote
      ? migrateV2Accounts({ ...named, quoteMint: quote.mint, curveQuote: quote.curveQuote })
      : migrateAccounts(named),
    data: quote ? MIGRATE_V2 : MIGRATE,
    steps: [
      'log: Instruction: Migrate',
      writeLeg(coinOf(curve), curve.curveTokens, fields.authorityTokens, curve.curve, tokenAmount),
      createPool,
      ...(fields.initBoost ? [fields.initBoost] : []),
      ...writePumpfunEvent(event),
    ],
  }
}
