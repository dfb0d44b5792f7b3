// The side of a process that the harness has started.

/** What the harness gave it. */
export const args = JSON.parse(process.argv[2] ?? '{}')

process.on('disconnect', () => process.exit(0))

/** Says that this process is ready, with what it has to say, and answers what the harness asks by these verbs. */
export function serve(ready = {}, verbs = {}) {
  process.on('message', async ({ id, verb, params }) => {
    const answer = await verbs[verb](params)
    if (process.connected) process.send({ id, answer: answer ?? null })
  })
  if (!process.connected) process.exit(0)
  process.send({ id: 0, answer: ready })
}
