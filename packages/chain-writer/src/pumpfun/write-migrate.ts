import { ByteWriter } from '../byte-writer.ts'
import {
  ASSOCIATED_TOKEN_PROGRAM,
  RENT,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  writeTransferChecked,
} from '../spl-token/write.ts'
import { writeEventCall, writeEventLog } from '../write-event.ts'
import type { Call } from '../write-transaction.ts'
import {
  EVENT_AUTHORITY,
  FEE_CONFIG,
  GLOBAL,
  NO_MINT,
  PUMPFUN_PROGRAM,
  type PumpfunCurve,
  WITHDRAW_AUTHORITY,
} from './write-accounts.ts'

const MIGRATE = Uint8Array.of(0x9b, 0xea, 0xe7, 0x92, 0xec, 0x9e, 0xa2, 0x1e)
const MIGRATE_V2 = Uint8Array.of(0xbb, 0xcb, 0x12, 0x1f, 0xce, 0xed, 0xfe, 0x29)
const MIGRATION_EVENT = Uint8Array.of(0xbd, 0xe9, 0x5d, 0xb9, 0x5c, 0x94, 0xea, 0x94)

/** Fields of a {@link writePumpfunMigrate}. */
type PumpfunMigrate = Readonly<{
  curve: PumpfunCurve
  user: Uint8Array
  pool: Uint8Array
  poolAuthority: Uint8Array
  /** The pool authority's accounts through which both tokens pass. */
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
  /** PumpSwap's `create_pool`, and `init_boost` where the pool has one, as the migration calls them. */
  createPool: Call
  initBoost?: Call
}>

/** `migrate`, or `migrate_v2` for a curve that is not priced in SOL: moves a completed curve to PumpSwap. */
export function writePumpfunMigrate(fields: PumpfunMigrate): Call {
  const { curve, user, createPool } = fields
  const { quote } = curve
  const event = new ByteWriter(200)
    .bytes(MIGRATION_EVENT)
    .bytes(user)
    .bytes(curve.mint)
    .u64(fields.tokenAmount)
    .u64(fields.quoteAmount)
    .u64(fields.migrationFee)
    .bytes(curve.curve)
    .i64(BigInt(fields.timestamp))
    .bytes(fields.pool)
    .bytes(quote?.mint ?? NO_MINT)
    .finish()

  const accounts = quote
    ? [
        GLOBAL,
        WITHDRAW_AUTHORITY,
        curve.mint,
        quote.mint,
        curve.curve,
        curve.curveTokens,
        quote.curveQuote,
        user,
        SYSTEM_PROGRAM,
        createPool.program,
        fields.pool,
        fields.poolAuthority,
        fields.authorityTokens,
        fields.authorityQuote,
        FEE_CONFIG,
        fields.lpMint,
        fields.authorityTokens,
        fields.poolTokens,
        fields.poolQuote,
        curve.tokenProgram,
        TOKEN_PROGRAM,
        TOKEN_2022_PROGRAM,
        ASSOCIATED_TOKEN_PROGRAM,
        EVENT_AUTHORITY,
        RENT,
        EVENT_AUTHORITY,
        PUMPFUN_PROGRAM,
      ]
    : [
        GLOBAL,
        WITHDRAW_AUTHORITY,
        curve.mint,
        curve.curve,
        curve.curveTokens,
        user,
        SYSTEM_PROGRAM,
        curve.tokenProgram,
        createPool.program,
        fields.pool,
        fields.poolAuthority,
        fields.authorityTokens,
        fields.authorityQuote,
        FEE_CONFIG,
        fields.quoteMint,
        fields.lpMint,
        fields.authorityTokens,
        fields.poolTokens,
        fields.poolQuote,
        TOKEN_2022_PROGRAM,
        ASSOCIATED_TOKEN_PROGRAM,
        EVENT_AUTHORITY,
        EVENT_AUTHORITY,
        PUMPFUN_PROGRAM,
        RENT,
      ]

  return {
    program: PUMPFUN_PROGRAM,
    accounts,
    data: quote ? MIGRATE_V2 : MIGRATE,
    steps: [
      'log: Instruction: Migrate',
      writeTransferChecked({
        tokenProgram: curve.tokenProgram,
        from: curve.curveTokens,
        to: fields.authorityTokens,
        authority: curve.curve,
        mint: curve.mint,
        decimals: 6,
        amount: fields.tokenAmount,
      }),
      createPool,
      ...(fields.initBoost ? [fields.initBoost] : []),
      writeEventLog(event),
      writeEventCall(PUMPFUN_PROGRAM, EVENT_AUTHORITY, event),
    ],
  }
}
