import { describe, expect, it } from 'vitest'
import { createPrinter } from './print-rows.ts'

/** What is printed of `rows`. */
async function printed(format: 'json' | 'table', rows: readonly unknown[]): Promise<string> {
  let text = ''
  const { print, end } = createPrinter(format, (more) => {
    text += more
  })
  for (const row of rows) await print({ row })
  await end()
  return text
}

describe('the rows that the tool prints', () => {
  it('are one JSON object a line', async () => {
    expect(await printed('json', [{ a: 1 }, { a: [2] }])).toBe('{"a":1}\n{"a":[2]}\n')
  })

  it('are a table on a terminal, with columns as wide as they need', async () => {
    const table = await printed('table', [
      { email: 'ann@example.org', plan: 'Pro', seen: null },
      { email: 'b@c.de', plan: 'NewPairs Only', seen: '2026-01-31' },
    ])

    expect(table.split('\n')).toEqual([
      'email            plan           seen',
      'ann@example.org  Pro',
      'b@c.de           NewPairs Only  2026-01-31',
      '',
    ])
  })

  it('are cut in a table where they are long, and none is lost', async () => {
    const rows = Array.from({ length: 120 }, (_, at) => ({ at, text: 'x'.repeat(at) }))

    const lines = (await printed('table', rows)).trimEnd().split('\n')

    expect(lines).toHaveLength(121)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(46)
    expect(lines.at(-1)).toMatch(/^119 {2}x+…$/)
  })

  it('are nothing for an empty list', async () => {
    expect(await printed('table', [])).toBe('')
  })
})
