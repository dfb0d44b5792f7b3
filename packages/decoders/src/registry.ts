import { KeyTable } from './bytes/key-table.ts'
import type { Decoder } from './decoder.ts'
import { boop } from './programs/boop/decode.ts'
import { heaven } from './programs/heaven/decode.ts'
import { meteoraDammV1 } from './programs/meteora-damm-v1/decode.ts'
import { meteoraDammV2 } from './programs/meteora-damm-v2/decode.ts'
import { meteoraDbc } from './programs/meteora-dbc/decode.ts'
import { meteoraDlmm } from './programs/meteora-dlmm/decode.ts'
import { moonshot } from './programs/moonshot/decode.ts'
import { orcaWhirlpool } from './programs/orca-whirlpool/decode.ts'
import { propAmms } from './programs/prop-amms/decode.ts'
import { pumpfun } from './programs/pumpfun/decode.ts'
import { pumpswap } from './programs/pumpswap/decode.ts'
import { raydiumAmmV4 } from './programs/raydium-amm-v4/decode.ts'
import { byreal, pancakeswap, raydiumClmm } from './programs/raydium-clmm/decode.ts'
import { raydiumCpmm } from './programs/raydium-cpmm/decode.ts'
import { raydiumLaunchlab } from './programs/raydium-launchlab/decode.ts'
import type { Role } from './role.ts'
import { METADATA_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './tokens/layout.ts'

/** Every program that is decoded. A new one is one line here. */
export const DECODERS: readonly Decoder[] = [
  pumpfun,
  pumpswap,
  raydiumAmmV4,
  raydiumCpmm,
  raydiumLaunchlab,
  raydiumClmm,
  pancakeswap,
  byreal,
  orcaWhirlpool,
  meteoraDlmm,
  meteoraDammV1,
  meteoraDammV2,
  meteoraDbc,
  moonshot,
  boop,
  heaven,
  ...propAmms,
]

/** Base58 of programs that mostly set quotes, which moves nothing: requested only with {@link TOKEN_PROGRAM}. */
export const QUOTING_PROGRAMS: ReadonlySet<string> = new Set(propAmms.flatMap(({ programIds }) => programIds))

/**
 * Base58 of the programs whose transactions are requested from a source: all other decoded ones, and Metaplex's, which
 * creates and names nearly every token without a launchpad.
 */
export const ASKED_PROGRAMS: readonly string[] = [
  ...DECODERS.flatMap(({ programIds }) => programIds).filter((programId) => !QUOTING_PROGRAMS.has(programId)),
  METADATA_PROGRAM,
]

/** Roles by raw program key. */
export const REGISTRY = new KeyTable<Role>([
  ...DECODERS.flatMap(({ programIds }, decoder) =>
    programIds.map((programId) => [programId, { kind: 'decoder', decoder, programId }] as const),
  ),
  [TOKEN_PROGRAM, { kind: 'token', is2022: false }],
  [TOKEN_2022_PROGRAM, { kind: 'token', is2022: true }],
  [METADATA_PROGRAM, { kind: 'metadata' }],
])
