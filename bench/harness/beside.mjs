import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { machine, median } from './results.mjs'

/** Turns of each checkout unless the scenario has its own number. */
const TURNS = 3

/**
 * Measures a scenario in this checkout and in another one in turns. Harness, clients and peers are this checkout's;
 * `product()` imports from the one whose turn it is.
 *
 * @returns the section, with a row for each figure
 */
export async function measureBeside(name, scenario, options) {
  const folder = resolve(options.beside)
  if (!scenario.figures || !existsSync(folder)) {
    console.error(scenario.figures ? `There is no ${folder}.` : `${name} cannot run beside another checkout.`)
    process.exit(2)
  }
  const checkouts = { older: `${pathToFileURL(folder)}/`, this: undefined }
  const turns = options.rounds || scenario.besideRounds || TURNS
  const seen = { older: [], this: [] }
  for (let turn = 1; turn <= turns; turn++) {
    const order = Object.entries(checkouts)
    for (const [who, checkout] of turn % 2 === 0 ? order.reverse() : order) {
      const figures = await scenario.figures(options, checkout, checkouts)
      console.log(`${turn}/${turns} ${who}: ${JSON.stringify(figures)}`)
      seen[who].push(figures)
    }
  }
  const lines = Object.keys(seen.this[0]).flatMap((row) =>
    Object.keys(seen.this[0][row]).map((figure) => {
      const [older, ours] = [seen.older, seen.this].map((all) => median(all.map((each) => each[row][figure])))
      const times = older === 0 ? '' : (ours / older).toFixed(2)
      return `| ${row} | ${figure} | ${shown(older)} | ${shown(ours)} | ${times} |`
    }),
  )
  return `## ${scenario.title} beside an older checkout

Medians of ${turns} turns each, \`npm run bench -- ${name} --beside\`: harness, clients and peers are this checkout's, and only the product is the other's in its turns. ${machine()}

| what | figure | older | this | times |
|---|---|---|---|---|
${lines.join('\n')}`
}

function shown(value) {
  return value.toLocaleString('en-US', { maximumSignificantDigits: value < 1_000 ? 3 : 7 })
}
