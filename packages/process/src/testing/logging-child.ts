import { createLog } from '../create-log.ts'
import { runProcess } from '../run-process.ts'

// A process that prints a line in each way, and tells its parent whether that ends it.
const log = createLog(process.stderr)
await runProcess(log, 1_000, async ({ onStop }) => {
  onStop(async () => void process.send?.('It stops.'))
  console.log('It is ready.')
  log.warn('Something is away.')
  setImmediate(() => process.send?.('It goes on.'))
})
