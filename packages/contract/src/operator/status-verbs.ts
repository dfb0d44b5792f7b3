import * as z from 'zod/mini'
import { Moment, verb } from './verb.ts'

/** A notice of the status banner, or maintenance. */
const Notice = z.object({
  id: z.int(),
  kind: z.enum(['notice', 'maintenance']),
  details: z.string(),
  createdAt: z.string(),
  /** When it is shown: null for at once, and until it is taken down. */
  from: z.nullable(z.string()),
  until: z.nullable(z.string()),
  clearedAt: z.nullable(z.string()),
})

/** Verbs on the notices of the status banner, and on maintenance. */
export const STATUS_VERBS = {
  'status list': verb({
    access: 'read',
    input: {},
    row: Notice,
    words: {},
    help: 'notices that are shown, planned, or were over within 90 days',
  }),
  'status add': verb({
    access: 'write',
    input: { details: z.string(), from: z.optional(Moment), until: z.optional(Moment) },
    row: z.never(),
    words: { details: '"Details"', from: '[--from T]', until: '[--until T]' },
    help: 'shows a notice in the status banner',
  }),
  'status clear': verb({
    access: 'write',
    input: { id: z.optional(z.int().check(z.lte(2_147_483_647))) },
    row: z.never(),
    words: { id: '[<id>]' },
    help: 'removes all notices, or that with a number',
  }),
  'maintenance on': verb({
    access: 'write',
    input: { details: z.string(), until: z.optional(Moment) },
    row: z.never(),
    words: { details: '"Details"', until: '[--until T]' },
    help: 'begins maintenance: customers can read and stream, but change nothing',
  }),
  'maintenance off': verb({
    access: 'write',
    input: {},
    row: z.never(),
    words: {},
    help: 'ends maintenance',
  }),
}
