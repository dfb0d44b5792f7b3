import type { Exchange } from '@pairwire/contract/exchanges'
import { anchorHex, DiscriminatorTable } from '../bytes/discriminator.ts'
import type { Decoder } from '../decoder.ts'

/** Decodes an instruction of one kind. */
type Decode = Decoder['decode']

/** Names of a program's instructions, separated by spaces, by meaning to us; `other`: no trade and no creation. */
type Instructions = Readonly<Record<string, string> & { other: string }>

/** Anchor's own instruction, which stores a program's IDL on the chain. */
const IDL = '40f4bc78a7e9690a'

/**
 * Creates the decoder of an Anchor program: `instructions` by name, and how to decode each kind. A name in neither is
 * an unknown instruction.
 *
 * @example
 * const INSTRUCTIONS = { swap: 'swap swap2', initialize: 'initialize_pool', other: 'add_liquidity' } as const
 * const dlmm = createAnchorDecoder('meteora_dlmm', [PROGRAM_ID], INSTRUCTIONS, { swap: …, initialize: … })
 */
export function createAnchorDecoder<Names extends Instructions>(
  exchange: Exchange,
  programIds: readonly string[],
  instructions: Names,
  decoders: Readonly<Record<Exclude<keyof Names, 'other'>, Decode>>,
): Decoder {
  const table = new DiscriminatorTable<Decode>({
    [IDL]: ignore,
    ...Object.fromEntries(
      Object.entries(instructions).flatMap(([kind, names]) => {
        const decode = kind === 'other' ? ignore : decoders[kind as keyof typeof decoders]
        return wordsOf(names).map((name) => [anchorHex(`global:${name}`), decode])
      }),
    ),
  })
  return { exchange, programIds, decode: (invocation) => table.of(invocation.data)(invocation) }
}

const ignore: Decode = () => undefined

function wordsOf(text: string): string[] {
  return text.trim().split(/\s+/)
}
