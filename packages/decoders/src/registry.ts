import { boop } from './boop/decode.ts'
import type { Decoder } from './decoder.ts'
import { heaven } from './heaven/decode.ts'
import { KeyTable } from './key-table.ts'
import { meteoraDammV1 } from './meteora-damm-v1/decode.ts'
import { meteoraDammV2 } from './meteora-damm-v2/decode.ts'
import { meteoraDbc } from './meteora-dbc/decode.ts'
import { meteoraDlmm } from './meteora-dlmm/decode.ts'
import { moonshot } from './moonshot/decode.ts'
import { orcaWhirlpool } from './orca-whirlpool/decode.ts'
import { propAmms } from './prop-amms/decode.ts'
import { pumpfun } from './pumpfun/decode.ts'
import { pumpswap } from './pumpswap/decode.ts'
import { raydiumAmmV4 } from './raydium-amm-v4/decode.ts'
import { byreal, pancakeswap, raydiumClmm } from './raydium-clmm/decode.ts'
import { raydiumCpmm } from './raydium-cpmm/decode.ts'
import { raydiumLaunchlab } from './raydium-launchlab/decode.ts'
import type { Role } from './role.ts'
import { METADATA_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './spl-token/layout.ts'

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

/** Base58 of those that mostly set quotes, which moves nothing: asked for only beside {@link TOKEN_PROGRAM}. */
export const QUOTING_PROGRAMS: ReadonlySet<string> = new Set(propAmms.flatMap(({ programIds }) => programIds))

/**
 * Base58 of the programs whose transactions a source of the chain is asked for: every other one that is decoded, and
 * Metaplex's, with which nearly every token is made and named that comes from no launchpad.
 */
export const ASKED_PROGRAMS: readonly string[] = [
  ...DECODERS.flatMap(({ programIds }) => programIds).filter((programId) => !QUOTING_PROGRAMS.has(programId)),
  METADATA_PROGRAM,
]

/** Programs by raw key. */
export const REGISTRY = new KeyTable<Role>([
  ...DECODERS.flatMap(({ programIds }, decoder) =>
    programIds.map((programId) => [programId, { kind: 'decoder', decoder, programId }] as const),
  ),
  [TOKEN_PROGRAM, { kind: 'token', is2022: false }],
  [TOKEN_2022_PROGRAM, { kind: 'token', is2022: true }],
  [METADATA_PROGRAM, { kind: 'metadata' }],
])
