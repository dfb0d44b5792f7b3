import { readPath } from './columns.ts'
import type { Answer, Question } from './messages.ts'
import { rowsOf } from './query.ts'

/** Reads the blocks of an hour from their file, in chain order. */
export async function readBlocks({ path }: Question<'blocks'>): Promise<Answer<'blocks'>> {
  const rows = await rowsOf(`SELECT cursor, slot, blockTime, receivedAt FROM read_parquet(${readPath(path)})`)
  return rows.map(({ cursor, slot, blockTime, receivedAt }) => ({
    ...{ cursor: String(cursor), slot: Number(slot), blockTime: Number(blockTime) },
    receivedAt: receivedAt === null ? null : Number(receivedAt),
  }))
}
