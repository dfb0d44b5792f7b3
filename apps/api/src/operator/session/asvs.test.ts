import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const ROOT = new URL('../../../../../', import.meta.url)
const TABLE = 'docs/decisions/0187-asvs-level-2-in-the-room.md'

/** Where a name of the table may be, the first that exists. */
const PLACES = [
  ...['apps/api/src/operator/session/%.test.ts', 'apps/api/src/operator/%.test.ts', 'apps/api/src/%.test.ts'],
  ...['packages/accounts/src/operators/%.ts', 'packages/accounts/src/acts/%.ts'],
  ...['packages/accounts/src/%.test.ts', 'packages/process/src/%.test.ts', '%.test.ts'],
]

const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8')

// Guards the table of requirements: a test that was renamed or removed leaves a row without one.
it('has a test for each requirement of ASVS that its table names', () => {
  const rows = read(TABLE)
    .split('\n')
    .filter((line) => /^\| \d/.test(line))
  const named = rows.flatMap((row) =>
    row
      .split('|')[3]!
      .split(';')
      .map((one) => [row, one.trim()] as const),
  )

  for (const [row, one] of named) {
    const [file = '', titles = ''] = one.split(' › ')
    const path = PLACES.map((place) => place.replace('%', file)).find((place) =>
      existsSync(fileURLToPath(new URL(place, ROOT))),
    )
    expect(path, `${row}: ${file}`).toBeDefined()
    const text = read(path!)
    for (const title of titles.split(', ')) expect(text, row).toContain(title)
  }
  expect(rows.length).toBeGreaterThan(25)
})
