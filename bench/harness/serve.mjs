// The side of a process that the harness has started.

/** The arguments from the harness. */
export const args = JSON.parse(process.argv[2] ?? '{}')

process.on('disconnect', () => process.exit(0))

/** Reports that this process is ready, with a message, and answers the harness's calls with these verbs. */
export function serve(ready = {}, verbs = {}) {
  process.on('message', async ({ id, verb, params }) => {
    const answer = await verbs[verb](params)
    if (process.connected) process.send({ id, answer: answer ?? null })
  })
  if (!process.connected) process.exit(0)
  process.send({ id: 0, answer: ready })
}
