import { QUIET } from '@pairwire/accounts'
import { systemClock } from '@pairwire/basics'
import { ALARM_RULES } from '../alarms/alarm-table.ts'
import { postAlarm } from '../alarms/post-alarm.ts'
import { actOutside } from './act-outside.ts'
import type { NamesOf, Runs } from './run.ts'
import { roomOf } from './session/room.ts'
import { withTimes } from './with-times.ts'

/** Verbs on alarms. */
export const alarmRuns: Runs<NamesOf<'alarms'>> = {
  async *'alarms list'(_input, { accounts }) {
    const kept = await accounts.listAlarms()
    for (const { name, sentence } of ALARM_RULES) {
      const { state, since, toldAt } = kept.find((alarm) => alarm.name === name) ?? QUIET
      yield withTimes({ name, state, since, toldAt, sentence })
    }
  },
  async *'alarms test'(_input, parts) {
    const { accounts, alarmUrl, by, clock } = parts
    const sentence = 'Nothing is wrong. This is how an alarm reaches you.'
    const test = { name: 'test', state: 'test', sentence, at: new Date(clock()) } as const
    yield await actOutside(accounts, by, { accountId: null, changes: {} }, async () => ({
      mails: await accounts.mailTestAlarm(test, roomOf(parts).url),
      posted:
        alarmUrl === undefined ? null : await postAlarm(alarmUrl, test, { ...parts, clock: systemClock }),
    }))
  },
}
