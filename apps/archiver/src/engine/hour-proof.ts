import { readFile } from 'node:fs/promises'
import type { Manifest } from '@pairwire/contract'
import { readSpoolLine, type SpoolBegin } from '../spool/spool-line.ts'

/** What the blocks and gaps of an hour prove about it. */
type HourProof = Pick<Manifest, 'slots' | 'cursors' | 'chain' | 'gaps'> & {
  begin: SpoolBegin
  swaps: number
  pairs: number
  blocks: number
  /** Whether its first block directly follows the last one of the previous hour. */
  isJoined: boolean
}

/** Whether nothing is known to be missing in an hour, or between it and the previous one. */
export function isWhole({ isJoined, gaps, chain }: Pick<HourProof, 'isJoined' | 'gaps' | 'chain'>): boolean {
  return isJoined && gaps.length === 0 && chain?.linked !== false
}

/** Reads the second spool of an hour, which must be complete. */
export async function readProof(path: string): Promise<HourProof> {
  const text = await readFile(path, 'utf8')
  const [begin, ...lines] = text.trimEnd().split('\n').map(readSpoolLine)
  if (begin?.kind !== 'begin') throw new Error(`${path} does not begin like a spool.`)
  const places = lines.filter((line) => line.kind !== 'begin')
  const blocks = places.filter((line) => line.kind === 'block')
  const [first, last] = [blocks[0], blocks.at(-1)]
  const hasHashes = blocks.every((block) => block.blockhash && block.parentBlockhash)
  const isJoined = begin.blockhash === undefined || !first || first.parentBlockhash === begin.blockhash
  return {
    begin,
    swaps: places.reduce((sum, { swaps }) => sum + swaps, 0),
    pairs: places.reduce((sum, { pairs }) => sum + pairs, 0),
    blocks: blocks.length,
    isJoined: begin.isJoined && isJoined,
    slots: first && last ? { first: first.slot, last: last.slot } : null,
    cursors: first && last ? { first: first.cursor, last: last.cursor } : null,
    chain:
      first && last && hasHashes
        ? {
            parentBlockhash: first.parentBlockhash!,
            blockhash: last.blockhash!,
            linked: blocks.every(
              (block, at) => at === 0 || block.parentBlockhash === blocks[at - 1]!.blockhash,
            ),
          }
        : null,
    gaps: places.flatMap((line) =>
      line.kind === 'gap' ? [{ fromSlot: line.fromSlot, toSlot: line.toSlot, cause: line.cause }] : [],
    ),
  }
}
