import type * as z from 'zod/mini'
import { ACCOUNT_VERBS } from './account-verbs.ts'
import { ACT_VERBS } from './act-verbs.ts'
import { ALARM_VERBS } from './alarm-verbs.ts'
import { DOCTOR_VERBS } from './doctor-verbs.ts'
import { MAIL_VERBS } from './mail-verbs.ts'
import { MONEY_VERBS } from './money-verbs.ts'
import { OPERATOR_VERBS } from './operator-verbs.ts'
import { ORDER_VERBS } from './order-verbs.ts'
import { OVERVIEW_VERBS } from './overview-verbs.ts'
import { PROCESS_VERBS } from './process-verbs.ts'
import { STATUS_VERBS } from './status-verbs.ts'
import { TOKEN_VERBS } from './token-verbs.ts'
import type { Verb } from './verb.ts'
import { WEBHOOK_VERBS } from './webhook-verbs.ts'

/**
 * The registry: every verb that the service runs, by group and name. The tool's parser and help, the control socket, the HTTP
 * calls and the docs' tables are made from it; `apps/api/src/operator` has what each does.
 */
export const VERBS = {
  ...OVERVIEW_VERBS,
  ...STATUS_VERBS,
  ...ACCOUNT_VERBS,
  ...MONEY_VERBS,
  ...MAIL_VERBS,
  ...ORDER_VERBS,
  ...ACT_VERBS,
  ...PROCESS_VERBS,
  ...ALARM_VERBS,
  ...DOCTOR_VERBS,
  ...OPERATOR_VERBS,
  ...TOKEN_VERBS,
  ...WEBHOOK_VERBS,
}

/** A verb by group and name, as in `account show`. */
export type VerbName = keyof typeof VERBS

/** The input of a verb, parsed. */
export type InputOf<Name extends VerbName> = z.output<(typeof VERBS)[Name]['input']>

/** A row of a verb. */
export type RowOf<Name extends VerbName> = z.output<(typeof VERBS)[Name]['row']>

/** The verbs whose rows come in pages. */
export type ListName = {
  [Name in VerbName]: (typeof VERBS)[Name]['isList'] extends true ? Name : never
}[VerbName]

/** The verb of this name; undefined if there is none. */
export function findVerb(name: string): { name: VerbName; verb: Verb } | undefined {
  return Object.hasOwn(VERBS, name) ? { name: name as VerbName, verb: VERBS[name as VerbName] } : undefined
}
