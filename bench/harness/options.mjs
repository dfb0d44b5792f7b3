import { parseArgs } from 'node:util'

/** Options of every scenario. */
const COMMON = {
  dry: [false, 'prints the section and does not change RESULTS.md'],
  beside: ['', 'measures in turns with the checkout in this folder, whose packages are installed'],
  rounds: [0, 'turns of each row that is measured several times; by default the scenario’s number'],
  help: [false, 'says this'],
}

/**
 * Parses the words after a scenario's name. `own` are its options: each a default, whose type is the option's, and a
 * sentence. Words without a name fill the options in order.
 *
 * @returns the options by name, and `fault` if a word is not one of them
 */
export function readOptions(words, own = {}) {
  const known = { ...own, ...COMMON }
  const types = Object.entries(known).map(([name, [value]]) => [
    name,
    { type: typeof value === 'boolean' ? 'boolean' : 'string' },
  ])
  const options = Object.fromEntries(Object.entries(known).map(([name, [value]]) => [name, value]))
  try {
    const { values, positionals } = parseArgs({
      args: words,
      options: Object.fromEntries(types),
      allowPositionals: true,
    })
    const named = Object.keys(own).slice(0, positionals.length)
    if (named.length < positionals.length) throw new Error(`Nothing takes '${positionals.at(-1)}'.`)
    for (const [at, name] of named.entries()) values[name] ??= positionals[at]
    for (const [name, value] of Object.entries(values)) {
      options[name] = typeof known[name][0] === 'number' ? Number(value) : value
      if (Number.isNaN(options[name])) throw new Error(`--${name} is a number, and '${value}' is none.`)
    }
  } catch ({ message }) {
    options.fault = message
  }
  return options
}

/** The options with their sentences, one per line. */
export function describeOptions(own = {}) {
  const lines = Object.entries({ ...own, ...COMMON }).map(([name, [value, sentence]]) => {
    const shown = typeof value === 'boolean' || value === '' || value === 0 ? '' : ` (${value})`
    return `  ${`--${name}`.padEnd(12)} ${sentence}${shown}`
  })
  return lines.join('\n')
}
