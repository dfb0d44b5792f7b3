import {
  type Accounts,
  type Alarm,
  type AlarmReading,
  type AlarmTelling,
  isStanding,
  QUIET,
  turnAlarm,
} from '@pairwire/accounts'
import { type Clock, type Log, lookAgain, withTimeout } from '@pairwire/basics'
import { AppError } from '@pairwire/contract'
import { askParts, type Metrics, metricTable } from '@pairwire/process'
import type { Leases } from '../leases.ts'
import type { ApiParts } from '../parts.ts'
import { traceOf } from '../trace-of.ts'
import { ALARM_RULES, ALARMS, type Seen } from './alarm-table.ts'
import { readCertificateEnd } from './certificate-end.ts'
import { ALARM_WORDS, postAlarm } from './post-alarm.ts'

/** What the watch over the alarms needs. */
export type AlarmParts = Pick<
  ApiParts,
  'archive' | 'hasPlaces' | 'health' | 'listProcesses' | 'publicUrl' | 'sourceState'
> &
  Readonly<{
    accounts: Pick<Accounts, 'listAlarms' | 'readAlarmFacts' | 'turnAlarms'>
    /** Only one of several processes looks. */
    leases: Pick<Leases, 'have'>
    adminUrl: string | undefined
    /** Where alarms are posted; undefined for nowhere. */
    alarmUrl: string | undefined
    /** The address of the operator's room, for mails. */
    roomUrl: string
    clock: Clock
    log: Log
  }>

/** Milliseconds between two looks. */
const LOOK_EVERY_MS = 30_000

/** Milliseconds of a shutdown that the last look and its posts may take: an address that does not answer takes longer. */
const STOP_WITHIN_MS = 2_000

/** Looks at the causes of alarms, and tells operators when one begins and when it is over. */
export type AlarmWatch = Readonly<{
  start(): void
  look(): Promise<void>
  /** Stops looking, and waits until what operators are told is posted or given up, {@link STOP_WITHIN_MS} at most. */
  stop(): Promise<void>
  metrics: Metrics
}>

export function createAlarmWatch(parts: AlarmParts): AlarmWatch {
  const { accounts, alarmUrl, clock, leases, log, roomUrl } = parts
  /** Each process has its own: nobody has a lease while the database is away. */
  let databaseAway: Alarm = QUIET
  let kept: ReadonlyMap<string, Alarm> = new Map()
  /** One after another, so that the end of an alarm never arrives before its beginning. */
  let posts = Promise.resolve()

  const tell = (telling: AlarmTelling, cause?: unknown) => {
    const say = telling.state === 'begun' ? log.error : log.info
    say(`${ALARM_WORDS[telling.state]}: ${telling.sentence}`, { alarm: telling.name, cause })
    if (alarmUrl !== undefined) posts = posts.then(() => postAlarm(alarmUrl, telling, parts)).then(() => {})
  }

  const turnDatabase = (holds: boolean, cause?: unknown) => {
    const at = new Date(clock.now())
    const { sentence, patienceMs } = ALARMS.database_away
    const { alarm, tells } = turnAlarm(databaseAway, { holds, patienceMs }, at)
    databaseAway = alarm
    if (tells) tell({ name: 'database_away', state: tells, sentence, at }, cause)
  }

  const lookAtAll = async () => {
    const told = await accounts.turnAlarms(readingsOf(await see(parts)), roomUrl)
    for (const telling of told) tell(telling)
  }

  const look = async () => {
    try {
      await leases.have('alarms', lookAtAll)
      kept = new Map((await accounts.listAlarms()).map((alarm) => [alarm.name, alarm]))
      turnDatabase(false)
    } catch (error) {
      if (error instanceof AppError && error.errorType === 'ERR_UNAVAILABLE') turnDatabase(true, error.cause)
      else log.error('The alarms could not be looked at.', traceOf(error))
    }
  }
  const looking = lookAgain(clock, () => look().then(() => LOOK_EVERY_MS))

  return {
    look,
    start: () => void looking.start(),
    stop: () =>
      withTimeout(
        looking.stop().then(() => posts),
        clock,
        STOP_WITHIN_MS,
      ).catch(() => log.warn('An alarm may not have been posted before the end.')),
    metrics: metricTable(
      [
        {
          name: 'pairwire_alarm',
          help: '1 while the alarm stands, as every api knows it.',
          labels: ['name'],
          read: (alarmOf: (name: string) => Alarm) =>
            ALARM_RULES.map(({ name }) => [Number(isStanding(alarmOf(name))), name]),
        },
      ],
      () => (name: string) => (name === 'database_away' ? databaseAway : (kept.get(name) ?? QUIET)),
    ),
  }
}

async function see(parts: AlarmParts): Promise<Seen> {
  const { accounts, adminUrl, archive, clock, hasPlaces, listProcesses, publicUrl, sourceState } = parts
  const [facts, health, processes, ...ends] = await Promise.all([
    accounts.readAlarmFacts(),
    askParts(parts),
    listProcesses().catch(() => undefined),
    ...[...new Set([publicUrl, adminUrl ?? publicUrl])].map(readCertificateEnd),
  ])
  return {
    ...{ ...facts, now: clock.now(), source: sourceState(), parts: health, processes },
    isArchived: archive !== undefined && hasPlaces,
    certificateEndsAt: ends.includes(undefined) ? undefined : Math.min(...ends.map(Number)),
  }
}

function readingsOf(seen: Seen): AlarmReading[] {
  return ALARM_RULES.flatMap(({ name, sentence, patienceMs, holds: judge }) => {
    const holds = judge(seen)
    return holds === undefined ? [] : [{ name, sentence, patienceMs, holds }]
  })
}
