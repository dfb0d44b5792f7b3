import { accountList } from '../account-list.ts'
import { ByteWriter } from '../byte-writer.ts'
import {
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  writeCreateAccount,
  writeCreateMetadata,
  writeInitializeMint,
  writeInitializeTokenMetadata,
  writeMintTo,
  writeRevokeMintAuthority,
} from '../spl-token/write.ts'
import type { Call } from '../write-transaction.ts'
import {
  FIXED,
  NO_MINT,
  PUMPFUN_PROGRAM,
  PUMPFUN_SUPPLY,
  type PumpfunCurve,
  type PumpfunReserves,
  writePumpfunEvent,
} from './write-accounts.ts'

const CREATE = Uint8Array.of(0x18, 0x1e, 0xc8, 0x28, 0x05, 0x1c, 0x07, 0x77)
const CREATE_V2 = Uint8Array.of(0xd6, 0x90, 0x4c, 0xec, 0x5f, 0x8b, 0x31, 0xb4)
const CREATE_EVENT = Uint8Array.of(0x1b, 0x72, 0xa9, 0x4d, 0xde, 0xeb, 0x63, 0x76)

const createAccounts = accountList(
  FIXED,
  'mint mintAuthority curve curveTokens global metadataProgram metadata user system tokenProgram ata rent',
  'eventAuthority program',
)
const createV2Accounts = accountList(
  FIXED,
  'mint mintAuthority curve curveTokens global user system tokenProgram ata mayhemProgram mayhemParams',
  'mayhemVault volume feeConfig eventAuthority program',
)

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

/** Writes `create_v2` for a coin of Token-2022, else `create`. */
export function writePumpfunCreate(fields: PumpfunCreate): Call {
  const { curve, user, name, symbol, uri } = fields
  const { mint, tokenProgram } = curve
  const isV2 = tokenProgram === TOKEN_2022_PROGRAM

  const data = new ByteWriter(200)
    .bytes(isV2 ? CREATE_V2 : CREATE)
    .string(name, symbol, uri)
    .bytes(curve.creator)
  if (isV2) data.bool(false).bool(false)

  const { mintAuthority } = FIXED
  const metadata = curve.curveTokens // instead of Metaplex's derived account, which nothing reads
  const ofQuote = curve.quote ? [curve.quote.mint, curve.quote.curveQuote, TOKEN_PROGRAM] : []
  return {
    program: PUMPFUN_PROGRAM,
    accounts: isV2
      ? [...createV2Accounts({ ...curve, user }), ...ofQuote]
      : createAccounts({ ...curve, user, metadata }),
    data: data.finish(),
    steps: [
      isV2 ? 'log: Instruction: CreateV2' : 'log: Instruction: Create',
      writeCreateAccount(user, mint, 2_500_000n, isV2 ? 234n : 82n, tokenProgram),
      writeInitializeMint(tokenProgram, mint, 6, mintAuthority),
      isV2
        ? writeInitializeTokenMetadata(mint, mintAuthority, name, symbol, uri)
        : writeCreateMetadata({ metadata, mint, mintAuthority, payer: user, name, symbol, uri }),
      writeMintTo(tokenProgram, mint, curve.curveTokens, mintAuthority, PUMPFUN_SUPPLY),
      writeRevokeMintAuthority(tokenProgram, mint, mintAuthority),
      ...writePumpfunEvent(writeCreateEvent(fields)),
    ],
  }
}

function writeCreateEvent(fields: PumpfunCreate): Uint8Array {
  const { curve, user, name, symbol, uri, timestamp, reserves } = fields
  const { virtualTokens, virtualQuote, realTokens } = reserves
  return new ByteWriter(400)
    .bytes(CREATE_EVENT)
    .string(name, symbol, uri)
    .bytes(curve.mint, curve.curve, user, curve.creator)
    .i64(BigInt(timestamp))
    .u64(virtualTokens, curve.quote ? 0n : virtualQuote, realTokens, PUMPFUN_SUPPLY)
    .bytes(curve.tokenProgram)
    .zeros(1 + 1) // mayhem, cashback
    .bytes(curve.quote?.mint ?? NO_MINT)
    .u64(virtualQuote)
    .zeros(8 + 1 + 1) // creator's fee in basis points, holder rewards, depth: no coin of the program is the quote
    .finish()
}
