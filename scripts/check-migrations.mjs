// Checks that migrations only add, so that the release before still runs on the database while a deployment is upgraded part by
// part. A file that does more says after which release that is safe, and why: `-- safe after 0.2.0: nothing reads it since`.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = process.argv[2] ?? fileURLToPath(new URL('../packages/accounts/migrations', import.meta.url))

/** The first migration that this rule is for. */
const FIRST = '0009'

/** What the release before may stumble over, in words. */
const FAULTS = [
  [/\bdrop\b(?! (default|not null)\b)/i, 'drops something'],
  [/\brename\b/i, 'renames something'],
  [/\bset not null\b/i, 'refuses null where the release before may write it'],
  [/\badd column\b(?=.*\bnot null\b)(?!.*\bdefault\b)/i, 'adds a column NOT NULL without a default'],
  [/\bset data type\b|\balter column "\w+" type\b/i, 'changes a type'],
]

const SAFE = /^-- safe after \d+\.\d+\.\d+: \S/m

let isGood = true
for (const name of readdirSync(folder).filter((name) => name.endsWith('.sql') && name >= FIRST)) {
  const text = readFileSync(join(folder, name), 'utf8')
  if (SAFE.test(text)) continue
  const statements = text
    .replace(/--.*$/gm, '')
    .replace(/'[^']*'/g, "''")
    .split(';')
  for (const statement of statements.map((one) => one.replace(/\s+/g, ' ').trim())) {
    for (const [pattern, fault] of FAULTS) {
      if (!pattern.test(statement)) continue
      console.error(
        `${name}: ${fault} (${statement.slice(0, 80)}); say in the file after which release it is safe.`,
      )
      isGood = false
    }
  }
}
process.exitCode = isGood ? 0 : 1
