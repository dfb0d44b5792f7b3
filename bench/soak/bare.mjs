// A process that does nothing but look at its own event loop, as the service's is looked at, beside it and at the same
// time. A message begins anew, and the next one asks.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { noteLongPauses, RESOLUTION_MS } from './watch.mjs'

const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
delay.enable()
const pauses = noteLongPauses()
process.on('message', (message) => {
  if (message === 'begin') {
    delay.reset()
    pauses.length = 0
  } else process.send({ p999Ms: delay.percentile(99.9) / 1e6, longestMs: delay.max / 1e6, pauses })
})
process.on('disconnect', () => process.exit(0))
