import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, release } from 'node:os'
import { fileURLToPath } from 'node:url'

const RESULTS = new URL('../RESULTS.md', import.meta.url)

/** Replaces a benchmark's section in RESULTS.md, between `<!-- name -->` marks. */
export function keepSection(name, section) {
  const text = readFileSync(RESULTS, 'utf8')
  const block = `<!-- ${name} -->\n${section}\n<!-- /${name} -->`
  const old = new RegExp(`<!-- ${name} -->[\\s\\S]*?<!-- /${name} -->`)
  writeFileSync(RESULTS, old.test(text) ? text.replace(old, () => block) : `${text.trimEnd()}\n\n${block}\n`)
}

/** One sentence with the machine, its load and the commit. */
export function machine() {
  const [core] = cpus()
  const load = loadavg()[0]?.toFixed(1)
  return `Machine: ${cpus().length} x ${core?.model.trim() ?? 'unknown'}, ${process.platform} ${release()}, Node ${process.versions.node}, load ${load} at the end. Commit: ${commit()}.`
}

function commit() {
  const git = (...args) =>
    spawnSync('git', args, { cwd: fileURLToPath(new URL('.', RESULTS)), encoding: 'utf8' }).stdout?.trim()
  const changed = git('status', '--porcelain', '--', '../apps', '../packages', '.', ':!RESULTS.md')
  return `${git('rev-parse', '--short=7', 'HEAD') || 'unknown'}${changed ? ', with changes' : ''}`
}

/** The median of some figures, or of one figure of some rows. */
export function median(rows, key) {
  const values = rows.map((row) => (key === undefined ? row : row[key])).sort((one, other) => one - other)
  return values[values.length >> 1]
}

/** The value below which this share of the values lies; sorts them. */
export function quantile(values, share) {
  values.sort((one, other) => one - other)
  return values[Math.min(values.length - 1, Math.floor(values.length * share))]
}

/** Latencies in milliseconds as figures. */
export function latencies(values) {
  return { p50Ms: quantile(values, 0.5), p99Ms: quantile(values, 0.99), maxMs: quantile(values, 1) }
}

/** Measures each of these names in every round, and returns the rows of each name. */
export async function byTurns(names, rounds, measure) {
  const rows = Object.fromEntries(names.map((name) => [name, []]))
  for (let round = 1; round <= rounds; round++) {
    for (const name of names) rows[name].push(show(`${round}/${rounds} ${name}`, await measure(name)))
  }
  return rows
}

/** Prints a row as soon as it is measured. */
export function show(name, row) {
  console.log(
    `${name}: ${JSON.stringify(row, (_, value) => (Number.isFinite(value) ? Number(value.toPrecision(4)) : value))}`,
  )
  return row
}

export const ms = (value) => `${value.toFixed(1)} ms`
export const mb = (bytes) => `${Math.round(bytes / 1e6)} MB`
export const whole = (value) => Math.round(value).toLocaleString('en-US')

/** The sentences of the checks that fail. */
export function violated(checks) {
  return checks.filter(([holds]) => !holds).map(([, sentence]) => sentence)
}
