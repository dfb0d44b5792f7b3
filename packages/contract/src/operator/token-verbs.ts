import * as z from 'zod/mini'
import { list, Moment, verb } from './verb.ts'

const Name = z.string().check(z.minLength(1), z.maxLength(40))
/** A token and what it allows: null for every verb that reads, for any address, for ever. */
const Token = {
  name: z.string(),
  verbs: z.nullable(z.array(z.string())),
  from: z.nullable(z.string()),
  until: z.nullable(z.string()),
}

/** Verbs on tokens for programs, which are made on the machine only. */
export const TOKEN_VERBS = {
  'token add': verb({
    access: 'machine',
    input: {
      name: Name,
      verbs: z.optional(z.string().check(z.maxLength(2_000))),
      from: z.optional(z.string().check(z.maxLength(2_000))),
      until: z.optional(Moment),
    },
    row: z.object({ ...Token, token: z.string() }),
    words: {
      name: '<name>',
      verbs: '[--verbs "<verb>,<verb>"]',
      from: '[--from <ranges>]',
      until: '[--until DATE]',
    },
    help: 'makes a token for a program of your own, shown once; without --verbs it only reads',
  }),
  'token list': list({
    access: 'machine',
    input: {},
    row: z.object({ ...Token, createdAt: z.string() }),
    words: {},
    help: 'all tokens',
  }),
  'token remove': verb({
    access: 'machine',
    input: { name: Name },
    row: z.never(),
    words: { name: '<name>' },
    help: 'removes a token',
  }),
}
