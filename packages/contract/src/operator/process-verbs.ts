import * as z from 'zod/mini'
import { PROCESS_PARTS, STREAM_SORTS } from './process-names.ts'
import { list, verb, Who } from './verb.ts'

/** An open connection of anybody. */
export const ConnectionRow = z.object({
  id: z.string(),
  accountId: z.string(),
  /** Null for an account that has just been deleted. */
  email: z.nullable(z.string()),
  address: z.string(),
  client: z.string(),
  openedAt: z.string(),
  lastSeenAt: z.string(),
  subscriptions: z.array(z.string()),
  sentEvents: z.number(),
  sentBytes: z.number(),
  queuedBytes: z.number(),
  /** Requests that were refused. */
  faults: z.number(),
})

/** A running process of the deployment. */
export const ProcessRow = z.object({
  part: z.enum(PROCESS_PARTS),
  /** Its machine and port. */
  name: z.string(),
  version: z.string(),
  startedAt: z.string(),
  /** Processor time since the last look, as a share of one core. */
  cores: z.number(),
  memoryBytes: z.number(),
  /** Milliseconds by which its timers were late at worst, in the last minute or two. */
  loopDelayMs: z.number(),
})

/** Verbs on what runs: connections and processes. */
export const PROCESS_VERBS = {
  'connections list': list({
    input: { account: z.optional(Who), sort: z.optional(z.enum(STREAM_SORTS)) },
    row: ConnectionRow,
    words: { account: '[--account <who>]', sort: '[--sort <order>]' },
    help: 'open connections of all gateways, 200 at most: by bytes that wait, or by sent, age or faults',
  }),
  'connections close': verb({
    access: 'write',
    graveWith: 'account',
    input: { id: z.optional(z.string()), account: z.optional(Who) },
    row: z.never(),
    words: { id: '<id>', account: '[--account <who> --yes]' },
    help: 'ends a connection, or all of an account',
  }),
  'processes list': list({
    input: {},
    row: ProcessRow,
    words: {},
    help: 'every process with its version, age, processor time, memory and delay',
  }),
}
