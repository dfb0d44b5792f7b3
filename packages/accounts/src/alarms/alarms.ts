import { isDeepStrictEqual } from 'node:util'
import { sql } from 'drizzle-orm'
import type { Queries } from '../database/open-database.ts'
import { alarms, operators } from '../database/schema.ts'
import { type AlarmLetter, queueOperatorMail } from '../mails/queue-mail.ts'
import { commit, type Store } from '../store.ts'
import { type Alarm, QUIET, turnAlarm } from './turn-alarm.ts'

/** What a look found: whether the condition of an alarm holds, and for how long it may before operators are told. */
export type AlarmReading = Readonly<{ name: string; holds: boolean; patienceMs: number; sentence: string }>

/** What operators are told of an alarm. */
export type AlarmTelling = Readonly<{ name: string; state: AlarmLetter['state']; sentence: string; at: Date }>

/**
 * Turns the alarms by what a look found, and queues the mails to all operators about those that began or ended, in one
 * transaction. Alarms without a reading stay as they are.
 *
 * @param link the address of the operator's room
 * @returns what is told, in the order of the readings
 */
export async function turnAlarms(
  store: Store,
  readings: readonly AlarmReading[],
  link: string,
): Promise<AlarmTelling[]> {
  const at = store.now()
  return commit(store, async (tx) => {
    // Another look waits, also while no row can be locked yet.
    await tx.execute(sql`lock table ${alarms} in share row exclusive mode`)
    const rows = await tx.select().from(alarms)
    const told: AlarmTelling[] = []
    for (const { name, sentence, ...reading } of readings) {
      const before = rows.find((row) => row.name === name) ?? { name, ...QUIET }
      const { alarm, tells } = turnAlarm(before, reading, at)
      if (!isDeepStrictEqual(before, { name, ...alarm })) {
        await tx
          .insert(alarms)
          .values({ name, ...alarm })
          .onConflictDoUpdate({ target: alarms.name, set: alarm })
      }
      if (tells) told.push({ name, state: tells, sentence, at })
    }
    for (const telling of told) await mailOperators(store, tx, telling, link)
    return told
  })
}

/** Mails a test alarm to all operators. @returns how many they are */
export async function mailTestAlarm(
  store: Store,
  telling: Pick<AlarmTelling, 'state' | 'sentence'>,
  link: string,
): Promise<number> {
  return commit(store, (tx) => mailOperators(store, tx, telling, link))
}

/** Alarms that were ever more than quiet. */
export function listAlarms({ db }: Store): Promise<(Alarm & Readonly<{ name: string }>)[]> {
  return db.select().from(alarms).orderBy(alarms.name)
}

async function mailOperators(
  store: Store,
  queries: Queries,
  { state, sentence }: Pick<AlarmTelling, 'state' | 'sentence'>,
  link: string,
): Promise<number> {
  const letter: AlarmLetter = { template: 'operator_alarm', state, sentence, link }
  const receivers = await queries.select({ email: operators.email }).from(operators)
  for (const { email } of receivers) await queueOperatorMail(store, queries, email, letter)
  return receivers.length
}
