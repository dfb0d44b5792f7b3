// Runs a benchmark: `npm run bench -- <scenario> [options]`; `--help` after it lists its options. Each scenario is a file of
// `scenarios/`.
import { readdirSync } from 'node:fs'
import { measureBeside } from './harness/beside.mjs'
import { describeOptions, readOptions } from './harness/options.mjs'
import { findMissingRecordings } from './harness/product.mjs'
import { keepSection } from './harness/results.mjs'

const [name, ...words] = process.argv.slice(2)
const scenarios = readdirSync(new URL('./scenarios/', import.meta.url)).map((file) =>
  file.replace('.mjs', ''),
)
if (!scenarios.includes(name)) {
  console.error(`Usage: npm run bench -- <${scenarios.join(' | ')}> [options]`)
  process.exit(name === '--help' ? 0 : 2)
}
const scenario = await import(`./scenarios/${name}.mjs`)
const options = readOptions(words, scenario.options)
if (options.help || options.fault) {
  console.log([options.fault, scenario.about, describeOptions(scenario.options)].filter(Boolean).join('\n\n'))
  process.exit(options.fault ? 2 : 0)
}
const missing = scenario.needsRecordings && (await findMissingRecordings())
if (missing) {
  console.error(`No recorded transactions at ${missing}: set PAIRWIRE_FIXTURES to their folder.`)
  process.exit(2)
}

const violations = []
if (options.beside) keep(`${name}-beside`, await measureBeside(name, scenario, options))
else
  for await (const section of scenario.run(options)) {
    keep(section.name ?? name, section.text, section.isKept)
    violations.push(...(section.violations ?? []))
  }
for (const sentence of violations) console.error(sentence)
process.exit(violations.length > 0 ? 1 : 0)

function keep(section, text, isKept = true) {
  console.log(`\n${text}`)
  if (isKept && !options.dry) keepSection(section, text)
}
