import { accountList } from '../account-list.ts'
import { ByteWriter } from '../byte-writer.ts'
import {
  key,
  PROGRAMS,
  TOKEN_PROGRAM,
  type WrittenMint,
  writeCreateAccount,
  writeInitializeMint,
  writeLeg,
  writeMintTo,
} from '../spl-token/write.ts'
import { writeEventLog } from '../write-event.ts'
import type { Call } from '../write-transaction.ts'

/**
 * Writes Raydium CPMM's calls with their logged events, in both lengths of the swap event.
 *
 * @see https://github.com/raydium-io/raydium-cp-swap
 */
export const RAYDIUM_CPMM_PROGRAM = key('CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C')

/** Owner of every pool's vaults. */
export const RAYDIUM_CPMM_AUTHORITY = 'GpMZbSM2GgvTKHJirzeGfMFoaZ8UR2X7F4v8vHTvxFbL'

const FIXED = {
  ...PROGRAMS,
  authority: key(RAYDIUM_CPMM_AUTHORITY),
  ammConfig: key('D4FPEruKEHrG5TenZ2mpDGEfu1iUvTiqBxvpU8HLBvC2'),
  createPoolFee: key('DNXgeM9EiiaAbaWvwjHj9fQQLAX5ZsfHyvmYUNRAdNC8'),
}

const initializeAccounts = accountList(
  FIXED,
  'creator ammConfig authority pool mint0 mint1 lpMint creator0 creator1 creatorLp vault0 vault1 createPoolFee',
  'observation token program0 program1 ata system rent',
)
const swapAccounts = accountList(
  FIXED,
  'payer authority ammConfig pool inputAccount outputAccount inputVault outputVault inputProgram outputProgram',
  'inputMint outputMint observation',
)

const INITIALIZE = Uint8Array.of(0xaf, 0xaf, 0x6d, 0x1f, 0x0d, 0x98, 0x9b, 0xed)
const SWAP_BASE_INPUT = Uint8Array.of(0x8f, 0xbe, 0x5a, 0xda, 0xc4, 0x1e, 0x33, 0xde)
const SWAP_BASE_OUTPUT = Uint8Array.of(0x37, 0xd9, 0x62, 0x56, 0xa3, 0x4a, 0xb4, 0xad)
const SWAP_EVENT = Uint8Array.of(0x40, 0xc6, 0xcd, 0xe8, 0x26, 0x08, 0x71, 0xe2)
const LP_CHANGE_EVENT = Uint8Array.of(0x79, 0xa3, 0xcd, 0xc9, 0x39, 0xda, 0x75, 0x3c)

/** The accounts of one pool; `token0` is the mint whose key sorts first. */
export type RaydiumCpmmPool = Readonly<{
  pool: Uint8Array
  token0: WrittenMint
  token1: WrittenMint
  vault0: Uint8Array
  vault1: Uint8Array
  lpMint: Uint8Array
  observation: Uint8Array
}>

/** Fields of a {@link writeRaydiumCpmmInitialize}; amounts in raw units. */
type RaydiumCpmmInitialize = Readonly<{
  pool: RaydiumCpmmPool
  creator: Uint8Array
  creator0: Uint8Array
  creator1: Uint8Array
  creatorLp: Uint8Array
  amount0: bigint
  amount1: bigint
  /** Unix seconds from which it trades. */
  openTime: number
}>

/** Writes `initialize`: opens a pool with its first liquidity. */
export function writeRaydiumCpmmInitialize(fields: RaydiumCpmmInitialize): Call {
  const { pool, creator, amount0, amount1 } = fields
  const { creator0, creator1, creatorLp } = fields
  const event = new ByteWriter(97)
    .bytes(LP_CHANGE_EVENT, pool.pool)
    .u64(0n, 0n, 0n, amount0, amount1, 0n, 0n)
    .u8(0)
    .finish()
  return {
    program: RAYDIUM_CPMM_PROGRAM,
    accounts: initializeAccounts({
      ...pool,
      ...fields,
      pool: pool.pool,
      mint0: pool.token0.key,
      mint1: pool.token1.key,
      program0: pool.token0.tokenProgram,
      program1: pool.token1.tokenProgram,
    }),
    data: new ByteWriter(32).bytes(INITIALIZE).u64(amount0, amount1, BigInt(fields.openTime)).finish(),
    steps: [
      'log: Instruction: Initialize',
      writeCreateAccount(creator, pool.pool, 5_324_400n, 637n, RAYDIUM_CPMM_PROGRAM),
      writeInitializeMint(TOKEN_PROGRAM, pool.lpMint, 9, FIXED.authority),
      writeLeg(pool.token0, creator0, pool.vault0, creator, amount0),
      writeLeg(pool.token1, creator1, pool.vault1, creator, amount1),
      writeMintTo(TOKEN_PROGRAM, pool.lpMint, creatorLp, FIXED.authority, amount0),
      writeEventLog(event),
    ],
  }
}

/** Fields of a {@link writeRaydiumCpmmSwap}; amounts in raw units. */
type RaydiumCpmmSwap = Readonly<{
  pool: RaydiumCpmmPool
  /** Whether token 0 goes in and token 1 comes out. */
  isToken0In: boolean
  isBaseInput: boolean
  /** Whether the event has the length of older program versions. */
  isOldEvent: boolean
  payer: Uint8Array
  inputAccount: Uint8Array
  outputAccount: Uint8Array
  amountIn: bigint
  amountOut: bigint
  tradeFee: bigint
  /** Before the swap. */
  inputReserves: bigint
  outputReserves: bigint
}>

/** Writes `swap_base_input` or `swap_base_output`. */
export function writeRaydiumCpmmSwap(swap: RaydiumCpmmSwap): Call {
  const { pool, amountIn, amountOut } = swap
  const [input, output] = swap.isToken0In ? [pool.token0, pool.token1] : [pool.token1, pool.token0]
  const [inputVault, outputVault] = swap.isToken0In ? [pool.vault0, pool.vault1] : [pool.vault1, pool.vault0]

  const data = new ByteWriter(24).bytes(swap.isBaseInput ? SWAP_BASE_INPUT : SWAP_BASE_OUTPUT)
  if (swap.isBaseInput) data.u64(amountIn, (amountOut * 9n) / 10n)
  else data.u64((amountIn * 11n) / 10n, amountOut)

  const event = new ByteWriter(180)
    .bytes(SWAP_EVENT, pool.pool)
    .u64(swap.inputReserves, swap.outputReserves, amountIn, amountOut)
    .zeros(8 + 8) // transfer fees of input and output
    .bool(swap.isBaseInput)
  if (!swap.isOldEvent) event.bytes(input.key, output.key).u64(swap.tradeFee, 0n).bool(false)

  return {
    program: RAYDIUM_CPMM_PROGRAM,
    accounts: swapAccounts({
      ...swap,
      pool: pool.pool,
      observation: pool.observation,
      inputVault,
      outputVault,
      inputProgram: input.tokenProgram,
      outputProgram: output.tokenProgram,
      inputMint: input.key,
      outputMint: output.key,
    }),
    data: data.finish(),
    steps: [
      swap.isBaseInput ? 'log: Instruction: SwapBaseInput' : 'log: Instruction: SwapBaseOutput',
      writeEventLog(event.finish()),
      writeLeg(input, swap.inputAccount, inputVault, swap.payer, amountIn),
      writeLeg(output, outputVault, swap.outputAccount, FIXED.authority, amountOut),
    ],
  }
}
