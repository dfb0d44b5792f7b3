import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Words that the field has a better one for, in names, comments, titles and pages; see docs/glossary.md. */
const KEPT_OUT: Readonly<Record<string, string>> = {
  deed: 'fault, or step',
  deeds: 'faults, or steps',
  lane: 'shard',
  lanes: 'shards',
  utils: 'a name that says what it holds',
  helpers: 'a name that says what it holds',
  'so many too many': 'the number beyond the limit',
  'that gets most': 'with the most events',
  whoever: 'the one who does it, by name: the client, the sender',
  'who asks': 'the caller, or the client',
  anew: 'again',
  'held against': 'compared with',
  'of which each': 'each of which, or a sentence of its own',
}

/** Decisions keep the words of their day, and this file names them all. */
const NOT_READ =
  /^docs\/decisions\/|^scripts\/words\.test\.ts$|(^|\/)(package-lock|recorded|fixtures)|\/fixtures\//

const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => /\.(tsx?|m?js|css|md|html)$/.test(file) && !NOT_READ.test(file))
  .map((file) => {
    const text = readFileSync(`${root}/${file}`, 'utf8')
    return { file, text, lower: text.toLowerCase() }
  })

describe('the words of the house', () => {
  it.each(Object.entries(KEPT_OUT))('leave out "%s" (better: %s)', (word) => {
    // A name in camel case is words too.
    const found = new RegExp(`(?<![a-z])${word}(?![a-z])|(?<=[a-z])${capital(word)}(?![a-z])`)

    const lines = files
      .filter(({ lower }) => lower.includes(word))
      .flatMap(({ file, text }) =>
        text
          .split('\n')
          .flatMap((line, at) =>
            found.test(line) || found.test(line.toLowerCase()) ? [`${file}:${at + 1}: ${line.trim()}`] : [],
          ),
      )

    expect(lines).toEqual([])
  })

  it('are explained in a glossary of at most 40 rows, each once', () => {
    const rows = readFileSync(`${root}/docs/glossary.md`, 'utf8').match(/^\| (?!word |---).*/gm) ?? []
    const words = rows.flatMap((row) =>
      row
        .split('|')[1]!
        .split(',')
        .map((word) => word.trim()),
    )

    expect(rows.length).toBeGreaterThan(20)
    expect(rows.length).toBeLessThanOrEqual(40)
    expect(words).toEqual([...new Set(words)])
  })
})

function capital(word: string): string {
  return word[0]!.toUpperCase() + word.slice(1)
}
