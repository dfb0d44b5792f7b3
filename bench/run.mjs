// Starts a benchmark: `npm run bench -- <name> [options]`. Each one is a folder here with a run.mjs of its own.
import { existsSync, readdirSync } from 'node:fs'
import { register } from 'tsx/esm/api'

const [name, ...args] = process.argv.slice(2)
const script = new URL(`./${name}/run.mjs`, import.meta.url)
if (!name || !/^[a-z]+$/.test(name) || !existsSync(script)) {
  const names = readdirSync(new URL('.', import.meta.url), { withFileTypes: true })
    .filter((entry) => existsSync(new URL(`./${entry.name}/run.mjs`, import.meta.url)))
    .map((entry) => entry.name)
  console.error(`Usage: npm run bench -- <${names.join(' | ')}>`)
  process.exit(2)
}
const { run, needsRecordings = false } = await import(script.href)
const missing = needsRecordings && (await findMissingRecordings())
if (missing) {
  console.error(`No recorded transactions at ${missing}: set PAIRWIRE_FIXTURES to their folder.`)
  process.exit(2)
}
await run(args)

/** The folder in which recordings were looked for, where there are none. */
async function findMissingRecordings() {
  register()
  const { openRecordings } = await import('../packages/decoders/src/testing/recordings.ts')
  const { exist, root } = openRecordings(process.env)
  return exist ? undefined : root
}
