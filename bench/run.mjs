// Starts a benchmark: `npm run bench -- <name> [options]`. Each one is a folder here with a run.mjs of its own.
import { existsSync, readdirSync } from 'node:fs'

const [name, ...args] = process.argv.slice(2)
const script = new URL(`./${name}/run.mjs`, import.meta.url)
if (!name || !/^[a-z]+$/.test(name) || !existsSync(script)) {
  const names = readdirSync(new URL('.', import.meta.url), { withFileTypes: true })
    .filter((entry) => existsSync(new URL(`./${entry.name}/run.mjs`, import.meta.url)))
    .map((entry) => entry.name)
  console.error(`Usage: npm run bench -- <${names.join(' | ')}>`)
  process.exit(2)
}
const { run } = await import(script.href)
await run(args)
