import { accessSync, constants, existsSync } from 'node:fs'
import { openArchive, tryArchive } from '@pairwire/archive'
import { messageOf, systemClock } from '@pairwire/basics'
import { HISTORY_OFFERS, HOUR_MS } from '@pairwire/contract'
import * as z from 'zod'
import { paddleUrl } from '../../adapters/billing-paddle.ts'
import { heldHours } from '../../history/archive-keeper.ts'
import { type Checks, type Finding, fail, ok, skipped, together, warn } from './check.ts'
import { type DoctorParts, schemaOf } from './doctor-parts.ts'
import { nearestOf } from './machine-checks.ts'

/** Milliseconds by which a clock may be off, and beyond which signed reports are soon refused. */
const OFF_MS = 2_000
const FAR_OFF_MS = 10_000

/** Milliseconds for an answer of the database that make every page slow. */
const SLOW_MS = 50

/** Where NATS answers about itself. */
const NATS_MONITOR_PORT = 8222

/** Checks of what stores things, and of the clock. */
export function storeChecks(parts: DoctorParts): Checks {
  return {
    clock: (signal) => checkClock(parts, signal),
    database: () => checkDatabase(parts),
    nats: (signal) => checkNats(parts, signal),
    archive: () => checkArchive(parts),
  }
}

/** By how much our clock is ahead of another one. */
type Reading = Readonly<{ name: string; offMs: number }>

async function checkClock({ config, accounts }: DoctorParts, signal: AbortSignal): Promise<Finding> {
  const { payment, production, solanaRpcUrl, solanaSource } = config
  const addresses = [
    ...[...solanaSource.matchAll(/\+(?:http|ws)(s?:\/\/\S+)/g)].map(([, rest]) => `http${rest}`),
    ...(solanaRpcUrl ? [solanaRpcUrl] : []),
    ...(payment?.provider === 'paddle' ? [paddleUrl({ ...payment, production })] : []),
  ]
  const hosts = [...new Set(addresses.map((address) => new URL(address).origin))]
  const readings = await Promise.all([
    ...hosts.map((origin) => readHttpClock(origin, signal)),
    config.databaseUrl ? readDatabaseClock(accounts) : undefined,
  ])
  const known = readings.filter((one): one is Reading => one !== undefined)
  if (known.length === 0) return skipped('There is no other clock to compare with.')
  const fix =
    'Let NTP set the clock of this machine, and that of the other: timedatectl set-ntp true, or chrony.'
  return together(
    known
      .filter(({ offMs }) => Math.abs(offMs) > OFF_MS)
      .map(({ name, offMs }) => {
        const seconds = (Math.abs(offMs) / 1_000).toFixed(1)
        const sentence = `This machine’s clock is ${seconds} s ${offMs > 0 ? 'ahead of' : 'behind'} that of ${name}.`
        return Math.abs(offMs) > FAR_OFF_MS ? fail(sentence, fix) : warn(sentence, fix)
      }),
    `The clock agrees with ${known.map(({ name }) => name).join(', ')}.`,
  )
}

/** By the date of any answer, which has whole seconds; undefined without one. */
async function readHttpClock(origin: string, signal: AbortSignal): Promise<Reading | undefined> {
  const askedMs = Date.now()
  const answer = await fetch(origin, { method: 'HEAD', redirect: 'manual', signal }).catch(() => undefined)
  const date = Date.parse(answer?.headers.get('date') ?? '')
  return Number.isNaN(date) ? undefined : readingOf(new URL(origin).host, date + 500, askedMs, 500)
}

async function readDatabaseClock(accounts: DoctorParts['accounts']): Promise<Reading | undefined> {
  const found = await accounts().catch(() => undefined)
  const askedMs = Date.now()
  const state = await found?.readDatabase().catch(() => undefined)
  return state && readingOf('the database', state.nowMs, askedMs, 0)
}

/** The least by which our clock is off, whenever the other one was read between question and answer. */
function readingOf(name: string, theirMs: number, askedMs: number, slackMs: number): Reading {
  const answeredMs = Date.now()
  const off = (askedMs + answeredMs) / 2 - theirMs
  const unsure = (answeredMs - askedMs) / 2 + slackMs
  return { name, offMs: Math.sign(off) * Math.max(0, Math.abs(off) - unsure) }
}

async function checkDatabase({ config, accounts }: DoctorParts): Promise<Finding> {
  try {
    const found = await accounts()
    if (!found) return ok('There is no database yet: the first start makes it in DATA_DIR.')
    let state = await found.readDatabase()
    let answerMs = Infinity
    // The quickest of three, as other checks ask too.
    for (let from = performance.now(), tries = 0; tries < 3; tries++, from = performance.now()) {
      state = await found.readDatabase()
      answerMs = Math.min(answerMs, performance.now() - from)
    }
    const { had, known, isNewer } = schemaOf(state.migratedTo)
    return together(
      [
        isNewer &&
          fail(
            'The database was made by a newer Pairwire.',
            'Start that version, or restore a backup from before the upgrade.',
          ),
        had < known &&
          warn(
            `${known - had} of ${known} migrations are pending.`,
            'Make a backup unless the database is empty, then restart the service, which updates it.',
          ),
        answerMs > SLOW_MS &&
          config.databaseUrl !== undefined &&
          warn(
            `The database takes ${Math.round(answerMs)} ms to answer.`,
            'Put it nearer to the service, into the same network.',
          ),
      ],
      `PostgreSQL ${state.version}${config.databaseUrl ? '' : ', embedded'}, answers in ${Math.ceil(answerMs)} ms, and has every migration.`,
    )
  } catch (error) {
    return fail(
      messageOf(error),
      config.databaseUrl
        ? 'Correct host, port, user, password and database in DATABASE_URL, until psql connects with it from this machine.'
        : 'Read the sentence: if secrets are lost, put them back; else stop the service, move DATA_DIR away and restore a backup.',
    )
  }
}

/** What NATS’s monitoring says of JetStream. */
const Monitored = z.object({
  config: z.object({ max_storage: z.number(), sync_always: z.boolean().optional() }),
})

async function checkNats({ config, natsMonitorPort }: DoctorParts, signal: AbortSignal): Promise<Finding> {
  if (!config.natsUrl) return skipped('NATS_URL is not set: the parts are in one process.')
  const { lookAtNats, readNatsAddress } = await import('@pairwire/bus/nats')
  const address = readNatsAddress(config.natsUrl)
  const [host = ''] = /^.*(?=:)/.exec(address.servers[0]!) ?? []
  const monitor = `http://${host}:${natsMonitorPort ?? NATS_MONITOR_PORT}/jsz?config=true`
  try {
    const [look, monitored] = await Promise.all([
      lookAtNats(address),
      fetch(monitor, { signal })
        .then(async (answer) => Monitored.parse(await answer.json()).config)
        .catch(() => undefined),
    ])
    const most = Math.min(look.mostBytes ?? Infinity, monitored?.max_storage ?? Infinity)
    return together(
      [
        ...look.warnings.map((sentence) => warn(sentence, 'Install the newer nats-server and restart it.')),
        most < config.retention.bytes &&
          fail(
            'NATS has less room for files than RETENTION asks for.',
            'Raise max_file_store in nats.conf and reload NATS, or set a smaller RETENTION.',
          ),
        monitored &&
          !monitored.sync_always &&
          warn(
            'NATS acknowledges events that are not on its disk yet.',
            'Write sync_interval: always into the block jetstream of nats.conf, and restart NATS.',
          ),
      ],
      `NATS ${look.version} with JetStream and room for RETENTION. ${
        monitored
          ? 'It acknowledges what is on its disk.'
          : 'Its monitoring does not answer here, so see that nats.conf has sync_interval: always.'
      }`,
    )
  } catch (error) {
    return fail(
      messageOf(error),
      'Start nats-server with deploy/nats.conf, and correct host, user and password in NATS_URL.',
    )
  }
}

async function checkArchive({ config }: DoctorParts): Promise<Finding> {
  const { archivePlace: place, archiveRetention: retention, hasPlaces, payment, sourceKind } = config
  if (!place || !hasPlaces) return skipped('No history is kept.')
  const missing = place.kind === 'folder' && !existsSync(place.folder) ? place.folder : undefined
  try {
    if (missing) accessSync(nearestOf(missing), constants.W_OK | constants.X_OK)
    if (missing) return ok(`The first start makes the folder ${missing}.`)
    await tryArchive(place)
    const log = { info() {}, warn() {}, error() {} }
    const archive = await openArchive(place, { clock: systemClock, log })
    const hours = await archive!.list(sourceKind, 0, Date.now() + HOUR_MS)
    const sound = 'An object was written, read back unchanged and removed.'
    if (hours.length === 0) return ok(sound)
    const { held, offers } = heldHours(hours, retention)
    const lacking = HISTORY_OFFERS.filter((offer) => !offers.includes(offer)).map(({ id }) => id)
    const isSold = payment?.provider === 'paddle' && payment.orderPrices !== undefined
    if (lacking.length === 0 || !isSold) return ok(`${sound} ARCHIVE_RETENTION holds ${held} hours.`)
    return warn(
      `ARCHIVE_RETENTION holds ${held} hours, too few to sell: ${lacking.join(', ')}.`,
      'Raise ARCHIVE_RETENTION if the storage has room; what does not fit is not offered in the shop.',
    )
  } catch (error) {
    const fix =
      place.kind === 'folder'
        ? 'Correct ARCHIVE_URL, or let the user of the service write to its folder and make room on that disk.'
        : 'Correct ARCHIVE_URL and its keys; the user of the service needs the right to list, read, write and remove there.'
    return fail(messageOf(error), fix)
  }
}
