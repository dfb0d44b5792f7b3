import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { createManualClock } from '@pairwire/basics/testing/manual-clock'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aKeptHour } from '../testing/a-kept-hour.ts'
import { aStreamBlock } from '../testing/a-stream.ts'
import { anEngine } from '../testing/an-engine.ts'

const page = readFileSync(new URL('../../../../docs/site/history.md', import.meta.url), 'utf8')

/** The columns in a table of the page, as names and types, by the anchor of the heading above it. */
function documented(anchor: string): string[][] {
  const [, ...rows] = page
    .split(`{#${anchor}}`)[1]!
    .split('\n## ')[0]!
    .split('\n### ')[0]!
    .match(/^\|.*$/gm)!
  return rows.slice(1).map((row) =>
    row
      .split('|')
      .slice(1, 3)
      .map((cell) => cell.trim()),
  )
}

describe('the docs page about history', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pairwire-history-docs-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const out = join(folder, 'out')
  const read = async (sql: string) => {
    const connection = await (await DuckDBInstance.create()).connect()
    const rows = (await connection.runAndReadAll(sql)).getRowsJson()
    connection.closeSync()
    return rows
  }

  beforeAll(async () => {
    const engine = anEngine(createManualClock())
    const blocks = [aStreamBlock(1, { swaps: [{}, { usdValue: null }], pairs: ['A'] }), aStreamBlock(2)]
    await aKeptHour(folder, blocks, engine)
    engine.close()
    mkdirSync(out)
    for (const kind of ['swaps', 'pairs', 'blocks']) {
      copyFileSync(join(folder, 'files', kind), join(out, `20261123-130000.${kind}.parquet`))
    }
  })

  it.each(['swaps', 'pairs', 'blocks'])('lists the columns of %s exactly as in a file', async (kind) => {
    const columns = await read(`DESCRIBE SELECT * FROM '${out}/*.${kind}.parquet'`)

    expect(documented(kind)).toEqual(columns.map(([name, type]) => [name, String(type).replace(/\(.*/s, '')]))
  })

  it('has a DuckDB query that runs on the files of an hour', async () => {
    const sql = /duckdb -c "(.+)"/.exec(page)![1]!

    expect(await read(sql.replace("'out/", `'${out}/`))).toEqual([['pumpswap', '3', 24.691356]])
  })
})
