/** Parts that run alone; each keeps running after its start and ends the process itself. */
const ALONE = new Map<string, () => Promise<unknown>>([
  ['ingest', () => import('@pairwire/ingest/main')],
  ['archiver', () => import('@pairwire/archiver/main')],
  ['gateway', () => import('@pairwire/gateway/main')],
  ['api', () => import('@pairwire/api/main')],
])

const words = process.argv.slice(2)
const alone = words.length === 1 ? ALONE.get(words[0]!) : undefined
if (alone) await alone()
else {
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') process.exit(0) // A reader that has seen enough, as in `… | head`.
    console.error(`The output cannot be written: ${message}.`)
    process.exit(1)
  })
  // A part that runs alone starts in two thirds of the time without the code of the verbs.
  const { runVerb } = await import('./run-verb.ts')
  process.exitCode = await runVerb(words)
}
