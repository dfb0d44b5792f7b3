import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, release } from 'node:os'

const RESULTS = new URL('./RESULTS.md', import.meta.url)

/** Puts a benchmark's section into RESULTS.md in place of its last one, between `<!-- name -->` marks. */
export function keepSection(name, section) {
  const text = existsSync(RESULTS) ? readFileSync(RESULTS, 'utf8') : '# Benchmark results\n'
  const block = `<!-- ${name} -->\n${section}\n<!-- /${name} -->`
  const old = new RegExp(`<!-- ${name} -->[\\s\\S]*?<!-- /${name} -->`)
  writeFileSync(RESULTS, old.test(text) ? text.replace(old, () => block) : `${text.trimEnd()}\n\n${block}\n`)
}

/** One sentence that names the machine and how busy it was. */
export function machine() {
  const [core] = cpus()
  const load = loadavg()[0]?.toFixed(1)
  return `Machine: ${cpus().length} x ${core?.model ?? 'unknown'}, ${process.platform} ${release()}, Node ${process.versions.node}, load ${load} at the end.`
}

/** The middle one of some figures. */
export function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]
}
