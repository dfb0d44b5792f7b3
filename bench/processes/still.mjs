// A process that does nothing but look at its own event loop, as the service's is looked at.
import { watchLoop } from '../harness/pauses.mjs'
import { serve } from '../harness/serve.mjs'

serve(undefined, watchLoop())
