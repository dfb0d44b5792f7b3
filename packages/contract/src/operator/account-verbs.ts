import * as z from 'zod/mini'
import { Account } from '../answers.ts'
import { UsageDay } from '../usage.ts'
import { ConnectionRow } from './process-verbs.ts'
import { list, MaybeText, Moment, verb, Who } from './verb.ts'

/** Name or id of a plan, in any case. */
const PlanName = z.string()

/** What an account has, in one word. */
const PERSON_STATES = ['none', 'trial', 'active', 'past_due', 'cancelled', 'granted', 'suspended'] as const

/** An account in the list. */
const Person = z.object({
  id: z.string(),
  email: z.string(),
  state: z.enum(PERSON_STATES),
  plan: z.nullable(z.string()),
  planEndsAt: z.nullable(z.string()),
  connections: z.int(),
  connectionLimit: z.int(),
  events30d: z.int(),
  /** Part of the plan's cap that is used up, from 0; null without a cap. */
  capShare: z.nullable(z.number()),
  seenAt: z.nullable(z.string()),
  faults24h: z.int(),
  joinedAt: z.string(),
})

/** A session of the dashboard. */
const Session = z.object({
  openedAt: z.string(),
  /** When it was last used, to a minute, and from where; null before that was noted. */
  seenAt: z.nullable(z.string()),
  address: z.nullable(z.string()),
  expiresAt: z.string(),
})

const Note = z.object({ at: z.string(), author: z.string(), note: z.string() })

/** A plan that an account has or had. */
const Subscription = z.object({
  kind: z.enum(['trial', 'paid', 'grant']),
  plan: MaybeText,
  /** Of a paid one. */
  state: MaybeText,
  ...{ startedAt: z.string(), openedAt: MaybeText },
  ...{ endsAt: MaybeText, cancelledAt: MaybeText, endedAt: MaybeText, renewsAt: MaybeText },
  connectionLimit: z.nullable(z.int()),
  /** The provider's ids, and its page; null where it has none. */
  ...{ subscriptionId: MaybeText, customerId: MaybeText, url: MaybeText },
})

/** All of an account that has no verb of its own; what happened within a day. */
const PersonDetails = z.object({
  ...Person.shape,
  /** How its owner heard of the service; null for one that the operator made. */
  origin: MaybeText,
  marketingEmails: z.boolean(),
  seenAddress: MaybeText,
  /** The first four and last two characters of its key. */
  keyHint: z.string(),
  suspension: z.nullable(z.object({ since: z.string(), reason: MaybeText, message: MaybeText })),
  subscriptions: z.array(Subscription),
  /** Events sent, by UTC day. */
  usage: z.array(UsageDay),
  /** Gateways that did not answer: connections of theirs are not listed. */
  missing: z.array(z.string()),
  open: z.array(ConnectionRow),
  ended: z.array(
    z.object({
      ...{ id: z.string(), address: z.string(), client: z.string(), openedAt: z.string() },
      ...{ closedAt: z.string(), ended: z.string(), sentence: z.string(), sentEvents: z.int() },
    }),
  ),
  /** Error types of refused requests, and refused upgrades. */
  mistakes: z.array(
    z.object({ type: z.string(), of: z.enum(['request', 'upgrade']), count: z.int(), lastAt: z.string() }),
  ),
  sessions: z.array(Session),
})

/** Why, for operators only. */
const Reason = z.optional(z.string().check(z.minLength(1), z.maxLength(1_000)))

/** Verbs on people, their plans and keys. */
export const ACCOUNT_VERBS = {
  'account list': list({
    input: {
      search: z.optional(z.string().check(z.maxLength(300))),
      plan: z.optional(PlanName),
      state: z.optional(z.enum(PERSON_STATES)),
      sort: z.optional(z.enum(['seen', 'joined', 'events', 'faults', 'email'])),
    },
    row: Person,
    words: {
      search: '[--search T]',
      plan: '[--plan P]',
      state: '[--state S]',
      sort: '[--sort seen|joined|events|faults|email]',
    },
    hasCsv: true,
    help: 'people, the last seen first; T is part of an email, or what <who> is',
  }),
  'account create': verb({
    access: 'write',
    input: { emails: z.array(z.string()).check(z.minLength(1)), plan: z.optional(PlanName) },
    row: Account,
    words: { emails: '<email>…', plan: '[--plan <plan>]' },
    help: 'creates accounts',
  }),
  'account invite': verb({
    access: 'write',
    input: { email: z.string().check(z.maxLength(300)), plan: z.optional(PlanName) },
    row: Account,
    words: { email: '<email>', plan: '[--plan P]' },
    help: 'creates an account and mails a login link',
  }),
  'account show': verb({
    access: 'read',
    input: { who: Who },
    row: Account,
    words: { who: '<who>' },
    help: 'prints an account',
  }),
  'account details': verb({
    access: 'read',
    input: { who: Who },
    row: PersonDetails,
    words: { who: '<who>' },
    help: 'prints all of an account but its key',
  }),
  'account plan': verb({
    access: 'write',
    input: {
      who: Who,
      plan: PlanName,
      connections: z.optional(z.int().check(z.gte(1), z.lte(100_000))),
      until: z.optional(Moment),
      reason: Reason,
    },
    row: Account,
    words: {
      who: '<who>',
      plan: '<plan>',
      connections: '[--connections N]',
      until: '[--until DATE]',
      reason: '[--reason T]',
    },
    help: 'grants a plan; "none" removes it',
  }),
  'account trial': verb({
    access: 'write',
    input: { who: Who, days: z.int().check(z.gte(1), z.lte(90)), plan: z.optional(PlanName) },
    row: Account,
    words: { who: '<who>', days: '--days N', plan: '[--plan P]' },
    help: 'gives a trial of 1 to 90 days, prolongs the one that runs, or opens the ended one again',
  }),
  'account notes': verb({
    access: 'read',
    input: { who: Who },
    row: Note,
    words: { who: '<who>' },
    help: 'what operators wrote down about an account, newest first',
  }),
  'account note': verb({
    access: 'write',
    input: { who: Who, note: z.string() },
    row: Note,
    words: { who: '<who>', note: '"T"' },
    help: 'writes down a note about an account',
  }),
  'account suspend': verb({
    access: 'grave',
    input: {
      who: Who,
      reason: z.string().check(z.minLength(1), z.maxLength(1_000)),
      message: z.optional(z.string().check(z.maxLength(1_000))),
    },
    row: Account,
    words: { who: '<who>', reason: '--reason T', message: '[--message T]' },
    help: 'ends its streams and refuses its key; the message is for its owner, the reason for operators',
  }),
  'account unsuspend': verb({
    access: 'write',
    input: { who: Who },
    row: Account,
    words: { who: '<who>' },
    help: 'frees a suspended account again',
  }),
  'account sessions': verb({
    access: 'write',
    input: { who: Who, end: z.optional(z.boolean()) },
    row: Session,
    words: { who: '<who>', end: '[--end]' },
    help: 'open sessions of the dashboard; with --end they end, within 10 s',
  }),
  'account delete': verb({
    access: 'grave',
    input: { who: Who },
    row: z.never(),
    words: { who: '<who>' },
    help: 'deletes an account, unless a plan of it still runs',
  }),
  'key reset': verb({
    access: 'write',
    input: { who: Who },
    row: Account,
    words: { who: '<who>' },
    help: 'creates a new key',
  }),
}
