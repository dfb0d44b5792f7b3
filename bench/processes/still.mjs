// A process that only watches its own event loop, like the service's.
import { watchLoop } from '../harness/pauses.mjs'
import { serve } from '../harness/serve.mjs'

serve(undefined, watchLoop())
