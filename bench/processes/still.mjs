// A process that does nothing but look at its own event loop, as the service's is looked at.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { noteLongPauses, RESOLUTION_MS } from '../harness/pauses.mjs'
import { serve } from '../harness/serve.mjs'

const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
delay.enable()
const pauses = noteLongPauses()
serve(undefined, {
  begin() {
    delay.reset()
    pauses.length = 0
  },
  read: () => ({ p999Ms: delay.percentile(99.9) / 1e6, longestMs: delay.max / 1e6, pauses }),
})
