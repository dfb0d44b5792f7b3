import { createLog } from '../create-log.ts'
import { runProcess } from '../run-process.ts'

// A process of three parts, the second of which cannot be closed; it is stopped as soon as it runs.
await runProcess(createLog(process.stderr), 60_000, async ({ onStop, stop }) => {
  onStop(async (close) => {
    await close(() => console.log('The first part is closed.'))
    await close(() => Promise.reject(new Error('It was closed already.')))
    await close(() => console.log('The last part is closed.'))
  })
  void stop(0)
})
