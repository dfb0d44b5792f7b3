import * as z from 'zod/mini'
import { Webhook } from '../webhooks/webhook-answers.ts'
import { verb, Who } from './verb.ts'

/** Verbs on webhooks. */
export const WEBHOOK_VERBS = {
  'webhook list': verb({
    access: 'read',
    input: { who: Who },
    row: z.omit(Webhook, { simulated: true }),
    words: { who: '<who>' },
    help: 'webhook endpoints of an account, oldest first',
  }),
}
