import { ByteWriter } from '../byte-writer.ts'
import {
  ASSOCIATED_TOKEN_PROGRAM,
  METADATA_PROGRAM,
  RENT,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  writeCreateAccount,
  writeCreateMetadata,
  writeInitializeMint,
  writeInitializeTokenMetadata,
  writeMintTo,
  writeRevokeMintAuthority,
} from '../spl-token/write.ts'
import { writeEventCall, writeEventLog } from '../write-event.ts'
import type { Call } from '../write-transaction.ts'
import {
  EVENT_AUTHORITY,
  FEE_CONFIG,
  GLOBAL,
  MAYHEM_PARAMS,
  MAYHEM_PROGRAM,
  MAYHEM_VAULT,
  MINT_AUTHORITY,
  NO_MINT,
  PUMPFUN_PROGRAM,
  PUMPFUN_SUPPLY,
  type PumpfunCurve,
  type PumpfunReserves,
  VOLUME_ACCUMULATOR,
} from './write-accounts.ts'

const CREATE = Uint8Array.of(0x18, 0x1e, 0xc8, 0x28, 0x05, 0x1c, 0x07, 0x77)
const CREATE_V2 = Uint8Array.of(0xd6, 0x90, 0x4c, 0xec, 0x5f, 0x8b, 0x31, 0xb4)
const CREATE_EVENT = Uint8Array.of(0x1b, 0x72, 0xa9, 0x4d, 0xde, 0xeb, 0x63, 0x76)

/** Fields of a {@link writePumpfunCreate}. */
type PumpfunCreate = Readonly<{
  curve: PumpfunCurve
  /** Pays, and signs with the mint. */
  user: Uint8Array
  name: string
  symbol: string
  uri: string
  /** Unix seconds. */
  timestamp: number
  reserves: PumpfunReserves
}>

/** `create_v2` for a coin of Token-2022, else `create`. */
export function writePumpfunCreate(fields: PumpfunCreate): Call {
  const { curve, user, name, symbol, uri } = fields
  const { mint, tokenProgram } = curve
  const isV2 = tokenProgram === TOKEN_2022_PROGRAM

  const event = new ByteWriter(400)
    .bytes(CREATE_EVENT)
    .string(name)
    .string(symbol)
    .string(uri)
    .bytes(mint)
    .bytes(curve.curve)
    .bytes(user)
    .bytes(curve.creator)
    .i64(BigInt(fields.timestamp))
    .u64(fields.reserves.virtualTokens)
    .u64(curve.quote ? 0n : fields.reserves.virtualQuote)
    .u64(fields.reserves.realTokens)
    .u64(PUMPFUN_SUPPLY)
    .bytes(tokenProgram)
    .bool(false) // mayhem
    .bool(false) // cashback
    .bytes(curve.quote?.mint ?? NO_MINT)
    .u64(fields.reserves.virtualQuote)
    .u64(0n) // creator's fee in basis points
    .bool(false) // holder rewards
    .u8(0) // depth: no coin of the program is the quote
    .finish()

  const data = new ByteWriter(200)
    .bytes(isV2 ? CREATE_V2 : CREATE)
    .string(name)
    .string(symbol)
    .string(uri)
    .bytes(curve.creator)
  if (isV2) data.bool(false).bool(false)

  const metadata = curve.curveTokens // written in place of Metaplex's derived account, which nothing reads
  const accounts = isV2
    ? [
        mint,
        MINT_AUTHORITY,
        curve.curve,
        curve.curveTokens,
        GLOBAL,
        user,
        SYSTEM_PROGRAM,
        tokenProgram,
        ASSOCIATED_TOKEN_PROGRAM,
        MAYHEM_PROGRAM,
        MAYHEM_PARAMS,
        MAYHEM_VAULT,
        VOLUME_ACCUMULATOR,
        FEE_CONFIG,
        EVENT_AUTHORITY,
        PUMPFUN_PROGRAM,
        ...(curve.quote ? [curve.quote.mint, curve.quote.curveQuote, TOKEN_PROGRAM] : []),
      ]
    : [
        mint,
        MINT_AUTHORITY,
        curve.curve,
        curve.curveTokens,
        GLOBAL,
        METADATA_PROGRAM,
        metadata,
        user,
        SYSTEM_PROGRAM,
        tokenProgram,
        ASSOCIATED_TOKEN_PROGRAM,
        RENT,
        EVENT_AUTHORITY,
        PUMPFUN_PROGRAM,
      ]

  return {
    program: PUMPFUN_PROGRAM,
    accounts,
    data: data.finish(),
    steps: [
      isV2 ? 'log: Instruction: CreateV2' : 'log: Instruction: Create',
      writeCreateAccount(user, mint, 2_500_000n, isV2 ? 234n : 82n, tokenProgram),
      writeInitializeMint(tokenProgram, mint, 6, MINT_AUTHORITY),
      isV2
        ? writeInitializeTokenMetadata(mint, MINT_AUTHORITY, name, symbol, uri)
        : writeCreateMetadata({
            metadata,
            mint,
            mintAuthority: MINT_AUTHORITY,
            payer: user,
            name,
            symbol,
            uri,
          }),
      writeMintTo(tokenProgram, mint, curve.curveTokens, MINT_AUTHORITY, PUMPFUN_SUPPLY),
      writeRevokeMintAuthority(tokenProgram, mint, MINT_AUTHORITY),
      writeEventLog(event),
      writeEventCall(PUMPFUN_PROGRAM, EVENT_AUTHORITY, event),
    ],
  }
}
