import * as z from 'zod/mini'
import { list, verb } from './verb.ts'

const Email = z.string().check(z.maxLength(300))
const Operator = { email: z.string(), role: z.enum(['operator', 'viewer']) }
/** The secret of an operator's codes: base32, and the address that an authenticator app takes. */
const CodeSecret = { secret: z.string(), uri: z.string() }

/** Verbs on operators, which are made on the machine only. */
export const OPERATOR_VERBS = {
  'operator add': verb({
    access: 'machine',
    input: { email: Email, viewer: z.optional(z.boolean()) },
    row: z.object({ ...Operator, ...CodeSecret, link: z.string() }),
    words: { email: '<email>', viewer: '[--viewer]' },
    help: 'makes an operator; a viewer changes and exports nothing',
  }),
  'operator code': verb({
    access: 'machine',
    input: { email: Email },
    row: z.object({ ...Operator, ...CodeSecret }),
    words: { email: '<email>' },
    help: 'makes a new secret, and ends the operator’s sessions',
  }),
  'operator link': verb({
    access: 'machine',
    input: { email: Email },
    row: z.object({ link: z.string() }),
    words: { email: '<email>' },
    help: 'prints a link to sign in with, for 10 minutes',
  }),
  'operator list': list({
    access: 'machine',
    input: {},
    row: z.object({ ...Operator, createdAt: z.string(), lastSignInAt: z.nullable(z.string()) }),
    words: {},
    help: 'all operators',
  }),
  'operator remove': verb({
    access: 'machine',
    input: { email: Email },
    row: z.never(),
    words: { email: '<email>' },
    help: 'removes an operator',
  }),
}
