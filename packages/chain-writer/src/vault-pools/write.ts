import { ByteWriter } from '../byte-writer.ts'
import { key, type WrittenMint, writeTransferChecked } from '../spl-token/write.ts'
import { writeEventCall } from '../write-event.ts'
import type { Call } from '../write-transaction.ts'

/**
 * Writes swaps and creations of the programs whose trades are read by their vaults alone: Raydium's CLMM and its
 * copies, Orca's Whirlpool, Meteora's DLMM, both DAMMs and DBC, Heaven. What these programs log beside is left out,
 * but for the events that state a reserve.
 */
export type VaultVenue = keyof typeof VENUES

/** The accounts of one pool; token A is the program's own first. */
export type VaultPool = Readonly<{
  pool: Uint8Array
  tokenA: WrittenMint
  tokenB: WrittenMint
  vaultA: Uint8Array
  vaultB: Uint8Array
  /** Config and whatever else the program wants to be named. */
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

/** A swap's or a creation's accounts by name, `.` for one that no reader looks at. */
type Places = readonly string[]

type Creation = Readonly<{
  discriminator: string
  /** Bytes of its arguments. */
  size: number
  accounts: Places
  /** The instruction that brings the first liquidity; null where the creation does. */
  fill: string | null
}>

type Venue = Readonly<{
  program: string
  swap: string
  /** Bytes of the swap's arguments. */
  swapSize: number
  swapAccounts: Places
  /** Null for a venue whose pools only trade here. */
  create: Creation | null
  event?: (swap: VaultSwap) => Uint8Array
}>

const CLMM_SWAP: Places = 'user . pool in out vin vout . . . . min mout'.split(' ')
const CLMM_CREATE = {
  discriminator: 'e992d18ecf6840bc', // create_pool
  size: 24,
  accounts: 'user . pool a b va vb'.split(' '),
  fill: '4db84ad67056f1c7', // open_position_v2
}
const CLMM = {
  swap: '2b04ed0b1ac91e62', // swap_v2
  swapSize: 33,
  swapAccounts: CLMM_SWAP,
  create: CLMM_CREATE,
}

const VENUES = {
  raydium_clmm: { ...CLMM, program: 'CAMMCzo5YL8w4VFF8KVHrK22GGUsp5VTaW7grrKgrWqK' },
  pancakeswap: { ...CLMM, program: 'HpNfyc2Saw7RKkQd8nEL4khUcuPhQ7WwY1B2qjx8jxFq' },
  byreal: {
    ...CLMM,
    program: 'REALQqNEomY6cQGZJUGwywTBD2UmDT32rZcNnfxQ5N2',
    create: { ...CLMM_CREATE, accounts: 'user . . . pool . a b va vb'.split(' ') },
  },
  orca_whirlpool: {
    program: 'whirLbMiicVdio4qvUfM5KAg6Ct8VwpYzGff3uctyCc',
    swap: '2b04ed0b1ac91e62', // swap_v2
    swapSize: 35,
    swapAccounts: '. . . user pool a b ua va ub vb'.split(' '),
    create: {
      discriminator: 'cf2d57f21b3fcc43', // initialize_pool_v2
      size: 18,
      accounts: '. a b . . user pool va vb'.split(' '),
      fill: '2e9cf3760dcdfbb2', // increase_liquidity
    },
  },
  meteora_dlmm: {
    program: 'LBUZKhRxPF3XUpBCjp4YzTKgLccjZhTSDM9YuVaPwxo',
    swap: '414b3f4ceb5b5b88', // swap2
    swapSize: 20,
    swapAccounts: 'pool . va vb in out a b . program user'.split(' '),
    create: {
      discriminator: '493b2478ed536cc6', // initialize_lb_pair2
      size: 100,
      accounts: 'pool . a b va vb . . user'.split(' '),
      fill: '03dd95da6f8d76d5', // add_liquidity_by_strategy2
    },
  },
  meteora_damm: {
    program: 'Eo7WjKq67rjJQSZxS6z3YkapzY3eMj6Xy8X5EQVn5UaB',
    swap: 'f8c69e91e17587c8',
    swapSize: 16,
    swapAccounts: 'pool in out . . va vb . . . . . user'.split(' '),
    create: {
      discriminator: '3095dc823d0b09b2', // initialize_permissionless_constant_product_pool_with_config2
      size: 17,
      accounts: 'pool . . a b . . va vb'.split(' '),
      fill: null,
    },
  },
  meteora_damm_v2: {
    program: 'cpamdpZCGKUy5JxQXB4dcpGPiikHawvSWAd6mEn1sGG',
    swap: '414b3f4ceb5b5b88', // swap2
    swapSize: 17,
    swapAccounts: '. pool in out va vb a b user . . program'.split(' '),
    create: {
      discriminator: '5fb40aac54aee828', // initialize_pool
      size: 33,
      accounts: 'user . . user . . pool . a b va vb'.split(' '),
      fill: null,
    },
    event: writeDammV2Event,
  },
  meteora_dbc: {
    program: 'dbcij3LWUppWqq96dh6gJWwBifmcGfLSB5D4DuSMaqN',
    swap: '414b3f4ceb5b5b88', // swap2
    swapSize: 17,
    swapAccounts: '. . pool in out va vb a b user . . program'.split(' '),
    create: null,
    event: writeDbcEvent,
  },
  heaven: {
    program: 'HEAVENoP2qxoeuF8Dj2oT1GHEnu49U5mJYkdeC8BAX2o',
    swap: '66063d1201daebea', // buy; a sale has the same form
    swapSize: 20,
    swapAccounts: '. . . . pool user a b ua ub va vb'.split(' '),
    create: null,
  },
} as const satisfies Record<string, Venue>

/** First 8 bytes of sha256("event:EvtSwap2"). */
const EVT_SWAP_2 = Uint8Array.of(0xbd, 0x42, 0x33, 0xa8, 0x26, 0x50, 0x75, 0x99)

function writeDammV2Event({ pool, isAIn, amountIn, amountOut, reserveA, reserveB }: VaultSwap): Uint8Array {
  return new ByteWriter(188)
    .bytes(EVT_SWAP_2)
    .bytes(pool.pool)
    .u8(isAIn ? 0 : 1)
    .bytes(new Uint8Array(2 + 17)) // collect_fee_mode, has_referral, params
    .u64(amountIn)
    .u64(amountIn)
    .u64(0n)
    .u64(amountOut)
    .bytes(new Uint8Array(16 + 4 * 8)) // next_sqrt_price and four fees
    .u64(amountIn)
    .u64(amountOut)
    .u64(amountOut)
    .u64(0n)
    .u64(reserveA)
    .u64(reserveB)
    .finish()
}

function writeDbcEvent({ pool, isAIn, amountIn, amountOut, reserveB }: VaultSwap): Uint8Array {
  return new ByteWriter(188)
    .bytes(EVT_SWAP_2)
    .bytes(pool.pool)
    .bytes(pool.other)
    .u8(isAIn ? 0 : 1)
    .bytes(new Uint8Array(1 + 17)) // has_referral, swap_parameters
    .u64(amountIn)
    .u64(amountIn)
    .u64(0n)
    .u64(amountOut)
    .bytes(new Uint8Array(16 + 3 * 8)) // next_sqrt_price and three fees
    .u64(reserveB)
    .u64(0n)
    .u64(0n)
    .finish()
}

/** The program of a venue. */
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
    accounts: layout.swapAccounts.map((name) => named[name]!),
    data: writeData(layout.swap, layout.swapSize),
    steps: [
      writeLeg(input, inputAccount, inputVault, user, swap.amountIn),
      writeLeg(output, outputVault, outputAccount, pool.other, swap.amountOut),
      ...(layout.event ? [writeEventCall(program, pool.other, layout.event(swap))] : []),
    ],
  }
}

/** A venue whose pools are made here. */
export type OpenVenue = (typeof OPEN_VENUES)[number]

/** Every venue of which {@link writeVaultCreate} makes pools. */
export const OPEN_VENUES = [
  'raydium_clmm',
  'pancakeswap',
  'byreal',
  'orca_whirlpool',
  'meteora_dlmm',
  'meteora_damm',
  'meteora_damm_v2',
] as const satisfies readonly VaultVenue[]

/** The creation of a pool, and the call that fills it where that is another. */
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
    accounts: layout.accounts.map((name) => named[name]!),
    data: writeData(layout.discriminator, layout.size),
    steps: layout.fill === null ? deposits : [],
  }
  if (layout.fill === null) return [opening]
  const accounts = [pool.pool, creator, pool.vaultA, pool.vaultB]
  return [opening, { program, accounts, data: writeData(layout.fill, 32), steps: deposits }]
}

/** Whether a venue's creation brings the first liquidity itself. */
export function isFilledAtCreation(venue: OpenVenue): boolean {
  return VENUES[venue].create.fill === null
}

function poolAccounts({ pool, tokenA, tokenB, vaultA, vaultB, other }: VaultPool, program: Uint8Array) {
  return { pool, a: tokenA.key, b: tokenB.key, va: vaultA, vb: vaultB, program, '.': other }
}

function writeData(discriminator: string, size: number): Uint8Array {
  const bytes = discriminator.match(/../g)!.map((pair) => Number.parseInt(pair, 16))
  return Uint8Array.from([...bytes, ...new Uint8Array(size)])
}

function writeLeg(
  mint: WrittenMint,
  from: Uint8Array,
  to: Uint8Array,
  authority: Uint8Array,
  amount: bigint,
): Call {
  return writeTransferChecked({
    tokenProgram: mint.tokenProgram,
    mint: mint.key,
    decimals: mint.decimals,
    from,
    to,
    authority,
    amount,
  })
}
