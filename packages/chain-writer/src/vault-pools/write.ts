import { ByteWriter } from '../byte-writer.ts'
import { key, type WrittenMint, writeLeg } from '../spl-token/write.ts'
import { writeEventCall } from '../write-event.ts'
import type { Call } from '../write-transaction.ts'

/**
 * Writes swaps and creations of the programs whose trades are read from their vaults alone: Raydium's CLMM and its
 * copies, Orca's Whirlpool, Meteora's DLMM, both DAMMs and DBC, Heaven. Other logs of these programs are omitted,
 * except events with a reserve.
 */
export type VaultVenue = keyof typeof VENUES

/** The accounts of one pool; token A is the program's own first. */
export type VaultPool = Readonly<{
  pool: Uint8Array
  tokenA: WrittenMint
  tokenB: WrittenMint
  vaultA: Uint8Array
  vaultB: Uint8Array
  /** Config and any other account that the program requires. */
  other: Uint8Array
}>

/** Fields of a {@link writeVaultSwap}; amounts in raw units, reserves after the swap. */
type VaultSwap = Readonly<{
  pool: VaultPool
  isAIn: boolean
  user: Uint8Array
  inputAccount: Uint8Array
  outputAccount: Uint8Array
  amountIn: bigint
  amountOut: bigint
  reserveA: bigint
  reserveB: bigint
}>

/** Fields of a {@link writeVaultCreate}; amounts in raw units. */
type VaultCreate = Readonly<{
  pool: VaultPool
  creator: Uint8Array
  creatorA: Uint8Array
  creatorB: Uint8Array
  amountA: bigint
  amountB: bigint
}>

/** A call: its discriminator, the size of its arguments, and its accounts by name, `.` for one that nothing reads. */
type Form = Readonly<{ discriminator: string; size: number; accounts: readonly string[] }>

/** `fill` is the instruction that adds the first liquidity; null if the creation does. */
type Creation = Form & Readonly<{ fill: string | null }>

type Venue = Readonly<{
  program: string
  swap: Form
  /** Null for a venue whose pools only trade here. */
  create: Creation | null
  event?: (swap: VaultSwap) => Uint8Array
}>

function form(discriminator: string, size: number, accounts: string): Form {
  return { discriminator, size, accounts: accounts.split(' ') }
}

const CLMM_SWAP = form('2b04ed0b1ac91e62', 33, 'user . pool in out vin vout . . . . min mout') // swap_v2
const CLMM = {
  swap: CLMM_SWAP,
  // create_pool, and open_position_v2
  create: { ...form('e992d18ecf6840bc', 24, 'user . pool a b va vb'), fill: '4db84ad67056f1c7' },
}

const VENUES = {
  raydium_clmm: { ...CLMM, program: 'CAMMCzo5YL8w4VFF8KVHrK22GGUsp5VTaW7grrKgrWqK' },
  pancakeswap: { ...CLMM, program: 'HpNfyc2Saw7RKkQd8nEL4khUcuPhQ7WwY1B2qjx8jxFq' },
  byreal: {
    program: 'REALQqNEomY6cQGZJUGwywTBD2UmDT32rZcNnfxQ5N2',
    swap: CLMM_SWAP,
    create: { ...form('e992d18ecf6840bc', 24, 'user . . . pool . a b va vb'), fill: '4db84ad67056f1c7' },
  },
  orca_whirlpool: {
    program: 'whirLbMiicVdio4qvUfM5KAg6Ct8VwpYzGff3uctyCc',
    swap: form('2b04ed0b1ac91e62', 35, '. . . user pool a b ua va ub vb'), // swap_v2
    // initialize_pool_v2, and increase_liquidity
    create: { ...form('cf2d57f21b3fcc43', 18, '. a b . . user pool va vb'), fill: '2e9cf3760dcdfbb2' },
  },
  meteora_dlmm: {
    program: 'LBUZKhRxPF3XUpBCjp4YzTKgLccjZhTSDM9YuVaPwxo',
    swap: form('414b3f4ceb5b5b88', 20, 'pool . va vb in out a b . program user'), // swap2
    // initialize_lb_pair2, and add_liquidity_by_strategy2
    create: { ...form('493b2478ed536cc6', 100, 'pool . a b va vb . . user'), fill: '03dd95da6f8d76d5' },
  },
  meteora_damm: {
    program: 'Eo7WjKq67rjJQSZxS6z3YkapzY3eMj6Xy8X5EQVn5UaB',
    swap: form('f8c69e91e17587c8', 16, 'pool in out . . va vb . . . . . user'),
    // initialize_permissionless_constant_product_pool_with_config2
    create: { ...form('3095dc823d0b09b2', 17, 'pool . . a b . . va vb'), fill: null },
  },
  meteora_damm_v2: {
    program: 'cpamdpZCGKUy5JxQXB4dcpGPiikHawvSWAd6mEn1sGG',
    swap: form('414b3f4ceb5b5b88', 17, '. pool in out va vb a b user . . program'), // swap2
    // initialize_pool
    create: { ...form('5fb40aac54aee828', 33, 'user . . user . . pool . a b va vb'), fill: null },
    event: writeDammV2Event,
  },
  meteora_dbc: {
    program: 'dbcij3LWUppWqq96dh6gJWwBifmcGfLSB5D4DuSMaqN',
    swap: form('414b3f4ceb5b5b88', 17, '. . pool in out va vb a b user . . program'), // swap2
    create: null,
    event: writeDbcEvent,
  },
  heaven: {
    program: 'HEAVENoP2qxoeuF8Dj2oT1GHEnu49U5mJYkdeC8BAX2o',
    swap: form('66063d1201daebea', 20, '. . . . pool user a b ua ub va vb'), // buy; a sale has the same form
    create: null,
  },
} as const satisfies Record<string, Venue>

/** First 8 bytes of sha256("event:EvtSwap2"). */
const EVT_SWAP_2 = Uint8Array.of(0xbd, 0x42, 0x33, 0xa8, 0x26, 0x50, 0x75, 0x99)

function writeDammV2Event({ pool, isAIn, amountIn, amountOut, reserveA, reserveB }: VaultSwap): Uint8Array {
  return new ByteWriter(188)
    .bytes(EVT_SWAP_2, pool.pool)
    .u8(isAIn ? 0 : 1)
    .zeros(2 + 17) // collect_fee_mode, has_referral, params
    .u64(amountIn, amountIn, 0n, amountOut)
    .zeros(16 + 4 * 8) // next_sqrt_price and four fees
    .u64(amountIn, amountOut, amountOut, 0n, reserveA, reserveB)
    .finish()
}

/** Raw quote units at which every curve of DBC is complete. */
export const DBC_THRESHOLD = 1_000_000_000_000n

function writeDbcEvent({ pool, isAIn, amountIn, amountOut, reserveB }: VaultSwap): Uint8Array {
  return new ByteWriter(188)
    .bytes(EVT_SWAP_2, pool.pool, pool.other)
    .u8(isAIn ? 0 : 1)
    .zeros(1 + 17) // has_referral, swap_parameters
    .u64(amountIn, amountIn, 0n, amountOut)
    .zeros(16 + 3 * 8) // next_sqrt_price and three fees
    .u64(reserveB, DBC_THRESHOLD, 0n)
    .finish()
}

/** Returns the program of a venue. */
export function vaultVenueProgram(venue: VaultVenue): Uint8Array {
  return key(VENUES[venue].program)
}

/** A swap. */
export function writeVaultSwap(venue: VaultVenue, swap: VaultSwap): Call {
  const layout: Venue = VENUES[venue]
  const { pool, isAIn, user, inputAccount, outputAccount } = swap
  const program = vaultVenueProgram(venue)
  const [input, output] = isAIn ? [pool.tokenA, pool.tokenB] : [pool.tokenB, pool.tokenA]
  const [inputVault, outputVault] = isAIn ? [pool.vaultA, pool.vaultB] : [pool.vaultB, pool.vaultA]
  const named: Record<string, Uint8Array> = {
    ...poolAccounts(pool, program),
    user,
    in: inputAccount,
    out: outputAccount,
    ua: isAIn ? inputAccount : outputAccount,
    ub: isAIn ? outputAccount : inputAccount,
    vin: inputVault,
    vout: outputVault,
    min: input.key,
    mout: output.key,
  }
  return {
    program,
    ...writeForm(layout.swap, named),
    steps: [
      writeLeg(input, inputAccount, inputVault, user, swap.amountIn),
      writeLeg(output, outputVault, outputAccount, pool.other, swap.amountOut),
      ...(layout.event ? [writeEventCall(program, pool.other, layout.event(swap))] : []),
    ],
  }
}

/** A venue whose pools can be created here. */
export type OpenVenue = {
  [Name in VaultVenue]: (typeof VENUES)[Name]['create'] extends null ? never : Name
}[VaultVenue]

/** Every venue whose pools {@link writeVaultCreate} can create. */
export const OPEN_VENUES = (Object.keys(VENUES) as VaultVenue[]).filter(
  (name): name is OpenVenue => VENUES[name].create !== null,
)

/** Writes the creation of a pool, and the call that fills it, if separate. */
export function writeVaultCreate(venue: OpenVenue, create: VaultCreate): Call[] {
  const layout: Creation = VENUES[venue].create
  const { pool, creator, creatorA, creatorB } = create
  const program = vaultVenueProgram(venue)
  const named: Record<string, Uint8Array> = {
    ...poolAccounts(pool, program),
    user: creator,
    ua: creatorA,
    ub: creatorB,
  }
  const deposits = [
    writeLeg(pool.tokenA, creatorA, pool.vaultA, creator, create.amountA),
    writeLeg(pool.tokenB, creatorB, pool.vaultB, creator, create.amountB),
  ]
  const opening: Call = {
    program,
    ...writeForm(layout, named),
    steps: layout.fill === null ? deposits : [],
  }
  if (layout.fill === null) return [opening]
  const accounts = [pool.pool, creator, pool.vaultA, pool.vaultB]
  return [opening, { program, accounts, data: writeData(layout.fill, 32), steps: deposits }]
}

/** Whether a venue's creation includes the first liquidity. */
export function isFilledAtCreation(venue: OpenVenue): boolean {
  return VENUES[venue].create.fill === null
}

function poolAccounts({ pool, tokenA, tokenB, vaultA, vaultB, other }: VaultPool, program: Uint8Array) {
  return { pool, a: tokenA.key, b: tokenB.key, va: vaultA, vb: vaultB, program, '.': other }
}

function writeForm({ discriminator, size, accounts }: Form, named: Readonly<Record<string, Uint8Array>>) {
  return { accounts: accounts.map((name) => named[name]!), data: writeData(discriminator, size) }
}

function writeData(discriminator: string, size: number): Uint8Array {
  return new ByteWriter(8 + size).bytes(Buffer.from(discriminator, 'hex')).zeros(size).finish()
}
