import type { Print } from '@pairwire/api/ask-service'

/** How rows are printed: one JSON object a line, CSV as it comes, or a table. */
type Format = 'json' | 'csv' | 'table'

/** Rows whose widths decide the columns of a table. */
const FIRST_ROWS = 50

/** Characters of a cell, at most. */
const CELL_MAX = 40

/** Prints rows by `writeText`, which waits while its reader is behind. Call `end` after the last one. */
export function createPrinter(
  format: Format,
  writeText: (text: string) => void | Promise<void>,
): { print: Print; end(): Promise<void> } {
  const table = createTable(writeText)
  return {
    async print(said) {
      if ('csv' in said) await writeText(said.csv)
      else if (format === 'table') await table.add(said.row)
      else await writeText(`${JSON.stringify(said.row)}\n`)
    },
    end: async () => void (await table.end()),
  }
}

/** A table whose columns are as wide as its first rows need. */
function createTable(writeText: (text: string) => void | Promise<void>) {
  const first: Record<string, unknown>[] = []
  let columns: { name: string; width: number }[] | undefined
  const write = (row: Record<string, unknown>) =>
    writeText(
      `${columns!
        .map(({ name, width }) => cellOf(row[name]).padEnd(width))
        .join('  ')
        .trimEnd()}\n`,
    )
  const begin = async () => {
    if (columns || first.length === 0) return
    columns = Object.keys(first[0]!).map((name) => ({
      name,
      width: Math.max(name.length, ...first.map((row) => cellOf(row[name]).length)),
    }))
    await write(Object.fromEntries(columns.map(({ name }) => [name, name])))
    for (const row of first) await write(row)
  }
  return {
    async add(row: unknown) {
      // Rows of the registry are objects.
      if (columns) await write(row as Record<string, unknown>)
      else if (first.push(row as Record<string, unknown>) === FIRST_ROWS) await begin()
    },
    end: begin,
  }
}

function cellOf(value: unknown): string {
  const text =
    value === null || value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > CELL_MAX ? `${text.slice(0, CELL_MAX - 1)}…` : text
}
