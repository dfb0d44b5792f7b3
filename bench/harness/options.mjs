import { parseArgs } from 'node:util'

/** What every scenario takes. */
const COMMON = {
  dry: [false, 'prints the section and leaves RESULTS.md alone'],
  beside: ['', 'measures by turns with the checkout in this folder, whose packages are installed'],
  rounds: [0, 'turns of each row where it is measured several times; the scenario has its own number'],
  help: [false, 'says this'],
}

/**
 * Reads the words behind a scenario's name. `own` are its options: each a default, whose type is the option's, and a
 * sentence. Words without a name fill the options in their order.
 *
 * @returns the options by name, and `fault` when a word is none of them
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

/** The options with their sentences, a line each. */
export function describeOptions(own = {}) {
  const lines = Object.entries({ ...own, ...COMMON }).map(([name, [value, sentence]]) => {
    const shown = typeof value === 'boolean' || value === '' || value === 0 ? '' : ` (${value})`
    return `  ${`--${name}`.padEnd(12)} ${sentence}${shown}`
  })
  return lines.join('\n')
}
