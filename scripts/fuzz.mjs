// `npm run fuzz -- [rounds] [first seed] [part of a name]`: decodes this many mutated transactions of every decoded program,
// by default 1,000,000, from the repository's fixtures and, if this machine has them, the recordings. Exits with status 1 on
// the first that crashes a decoder or whose event contradicts the vaults.
import { register } from 'tsx/esm/api'

register()
const { readCorpora } = await import('../packages/decoders/src/testing/corpus.ts')
const { fuzz } = await import('../packages/decoders/src/testing/fuzz.ts')

const [rounds = 1_000_000, firstSeed = 1] = process.argv.slice(2, 4).map(Number)
const wanted = process.argv[4] ?? ''
if (!(rounds > 0) || !Number.isSafeInteger(firstSeed)) {
  console.error('Usage: npm run fuzz -- [rounds] [first seed] [part of a name]')
  process.exit(2)
}

for (const corpus of readCorpora(true).filter(({ name }) => name.includes(wanted))) {
  const before = process.cpuUsage()
  try {
    const { events, refusals, checkedSides } = fuzz(corpus, firstSeed, rounds)
    const { user, system } = process.cpuUsage(before)
    console.log(
      `${corpus.name}: ${rounds} mutations of ${corpus.transactions.length} transactions, ${events} events, ` +
        `${refusals} refusals, ${checkedSides} sides compared with their vaults, ` +
        `${((user + system) / rounds).toFixed(1)} us each`,
    )
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  }
}
