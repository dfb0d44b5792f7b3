import type { DuckDBValue } from '@duckdb/node-api'
import { readPath } from './columns.ts'
import type { Answer, Question } from './messages.ts'
import { rowsOf } from './query.ts'

/** Reads from the files of an hour what its manifest claims about them. */
export async function proveFiles({ swaps, pairs, blocks }: Question<'prove'>): Promise<Answer<'prove'>> {
  const ofSwaps = await select(swaps, '')
  const ofPairs = await select(pairs, '')
  const found = await select(
    blocks,
    `, sum(swaps) AS swaps, sum(pairs) AS pairs, count(blockhash) AS hashes, count(parentBlockhash) AS parents,
     arg_min(slot, file_row_number) AS firstSlot, arg_max(slot, file_row_number) AS lastSlot,
     arg_min(cursor, file_row_number) AS firstCursor, arg_max(cursor, file_row_number) AS lastCursor,
     arg_min(parentBlockhash, file_row_number) AS parentBlockhash, arg_max(blockhash, file_row_number) AS blockhash,
     count(*) FILTER (parentBlockhash <> hashBefore) AS broken`,
    ', lag(blockhash) OVER (ORDER BY file_row_number) AS hashBefore',
  )
  const rows = Number(found.rows)
  const hasHashes = rows > 0 && Number(found.hashes) === rows && Number(found.parents) === rows
  return {
    rows: { swaps: Number(ofSwaps.rows), pairs: Number(ofPairs.rows), blocks: rows },
    inBlocks: { swaps: Number(found.swaps ?? 0), pairs: Number(found.pairs ?? 0) },
    outOfOrder: Number(ofSwaps.outOfOrder) + Number(ofPairs.outOfOrder) + Number(found.outOfOrder),
    slots: rows > 0 ? { first: Number(found.firstSlot), last: Number(found.lastSlot) } : null,
    cursors: rows > 0 ? { first: String(found.firstCursor), last: String(found.lastCursor) } : null,
    chain: hasHashes
      ? {
          parentBlockhash: String(found.parentBlockhash),
          blockhash: String(found.blockhash),
          linked: Number(found.broken) === 0,
        }
      : null,
  }
}

/** Counts the rows of a file and those not after the previous row, with further figures and the columns they need. */
async function select(path: string, figures: string, columns = ''): Promise<Record<string, DuckDBValue>> {
  const [row] = await rowsOf(
    `SELECT count(*) AS rows, count(*) FILTER (cursor <= cursorBefore) AS outOfOrder ${figures} FROM (
       SELECT *, lag(cursor) OVER (ORDER BY file_row_number) AS cursorBefore ${columns}
       FROM read_parquet(${readPath(path)}, file_row_number = true))`,
  )
  return row!
}
