import { existsSync, statSync } from 'node:fs'
import { access, constants, readFile, statfs } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { lastBackupAt } from '@pairwire/accounts'
import { codeOf, messageOf } from '@pairwire/basics'
import { DAY_MS, HOUR_MS, plansText } from '@pairwire/contract'
import { hasDatabase, listMigrations, readSecrets, VERSION } from '@pairwire/process'
import { roomOf } from '../session/room.ts'
import { type Checks, type Finding, fail, ok, skipped, together, warn } from './check.ts'
import { type DoctorParts, findUpToDate, NO_ACCOUNTS_YET } from './doctor-parts.ts'

/** Oldest Node on which this version is tested. */
const LEAST_NODE = [20, 19] as const

/** Bytes free below which a disk is about to be full, and below which nothing is written any more. */
const LOW_BYTES = 1024 ** 3
const FULL_BYTES = 16 * 1024 ** 2

/** Milliseconds after which a daily backup is too old. */
const BACKUP_MS = 2 * DAY_MS

/** Versions of this code, of Node and of the schema, as the verb `version` prints them. */
export function versions() {
  return { version: VERSION, node: process.versions.node, schema: listMigrations().length }
}

/** Checks of this machine and of what the operator has set up: none asks another machine. */
export function machineChecks(parts: DoctorParts): Checks {
  return {
    version: () => checkVersion(parts.nodeVersion ?? process.versions.node),
    folder: () => checkFolder(parts.config.dataFolder),
    disk: () => checkDisk(parts),
    secrets: () => checkSecrets(parts),
    brand: () => checkBrand(parts),
    operator: () => checkOperator(parts),
    backup: () => checkBackup(parts),
  }
}

/** Whether this version of Node can run the service. */
function checkVersion(node: string): Finding {
  const [major = 0, minor = 0] = node.split('.').map(Number)
  const isOld = major < LEAST_NODE[0] || (major === LEAST_NODE[0] && minor < LEAST_NODE[1])
  const sentence = `Pairwire ${VERSION} on Node ${node}, with ${listMigrations().length} migrations.`
  if (!isOld) return ok(sentence)
  return fail(sentence, `Install Node ${LEAST_NODE.join('.')} or newer, and start the service with it.`)
}

async function checkFolder(folder: string): Promise<Finding> {
  const found = existsSync(folder) ? statSync(folder) : undefined
  const nearest = found ? folder : nearestOf(folder)
  if (!statSync(nearest).isDirectory()) {
    return fail(`DATA_DIR: ${nearest} is a file.`, 'Set DATA_DIR to a folder.')
  }
  const { username, uid } = userInfo()
  const fault = await access(nearest, constants.W_OK | constants.X_OK).then(() => undefined, codeOf)
  if (found && fault === 'EROFS') {
    const fix = `Mount the disk of ${folder} so that it can be written to, or set DATA_DIR to a folder on another one.`
    return fail(`DATA_DIR: ${folder} is read-only.`, fix)
  }
  if (fault) {
    return fail(
      `DATA_DIR: ${username} cannot write to ${nearest}.`,
      // The folder above a missing one may be the system's.
      `Run ${found ? 'chown -R' : 'install -d -m 700 -o'} ${username} ${folder} as root, or set DATA_DIR to a folder of this user.`,
    )
  }
  if (!found) return ok(`The first start makes the folder ${folder}.`)
  const secrets = join(folder, 'secrets.json')
  const secretsMode = statSync(secrets, { throwIfNoEntry: false })?.mode ?? 0
  return together(
    [
      uid >= 0 &&
        found.uid !== uid &&
        warn(
          `DATA_DIR: ${folder} belongs to another user than ${username}.`,
          `Run the service and the tool as the owner of ${folder}, or run chown -R ${username} ${folder} as root.`,
        ),
      (secretsMode & 0o077) !== 0 && fail(`Others can read ${secrets}.`, `Run chmod 600 ${secrets}.`),
      (found.mode & 0o027) !== 0 && warn(`Others can read or change ${folder}.`, `Run chmod 700 ${folder}.`),
    ],
    `${folder} belongs to ${username} and can be written to.`,
  )
}

/** The folder above a missing one that exists. */
export function nearestOf(folder: string): string {
  const parent = dirname(folder)
  return existsSync(parent) || parent === folder ? parent : nearestOf(parent)
}

async function checkDisk({ config }: DoctorParts): Promise<Finding> {
  const { bavail, blocks, bsize } = await statfs(nearestOf(join(config.dataFolder, 'x')))
  const [free, all] = [bavail * bsize, blocks * bsize]
  if (all === 0) return skipped('The system does not say how much room this disk has.')
  const kept = config.archivePlace?.kind === 'folder' ? config.archiveRetention.bytes : 0
  const wanted = kept + (config.natsUrl ? 0 : config.retention.bytes)
  const more = 'Remove what else is on it, or put DATA_DIR on a larger disk.'
  return together(
    [
      free < FULL_BYTES
        ? fail('The disk of DATA_DIR is full.', more)
        : free < LOW_BYTES && warn(`Only ${sizeOf(free)} are free on the disk of DATA_DIR.`, more),
      wanted > all &&
        warn(
          `RETENTION and ARCHIVE_RETENTION may take ${sizeOf(wanted)}, and the disk has ${sizeOf(all)} in all.`,
          'Set RETENTION and ARCHIVE_RETENTION to sizes that fit together, or use a larger disk.',
        ),
    ],
    `${sizeOf(free)} are free of ${sizeOf(all)}.`,
  )
}

function sizeOf(bytes: number): string {
  return `${(bytes / 1e9).toFixed(1)} GB`
}

async function checkSecrets(parts: DoctorParts): Promise<Finding> {
  const { config } = parts
  try {
    // Keeps nothing of what it would make.
    readSecrets(config.dataFolder, config, !config.databaseUrl && hasDatabase(config.dataFolder))
  } catch (error) {
    return fail(
      messageOf(error),
      'Put secrets.json back into DATA_DIR from a backup, or set both variables to the values it held.',
    )
  }
  const accounts = await findUpToDate(parts)
  if (!accounts) return ok('No secret is lost; the first start makes those that are not set.')
  if (await accounts.canReadKeys()) return ok('The secrets fit the database.')
  return fail(
    'KEY_ENCRYPTION_SECRET: the API keys in the database were encrypted with another one.',
    'Set KEY_ENCRYPTION_SECRET to that one, or restore secrets.json in DATA_DIR from a backup.',
  )
}

/** Texts that come with the software, by their addresses. */
const SAMPLES = ['terms', 'privacy', 'disclaimer'] as const

/** Begins what a legal text says while it is still the sample. */
const SAMPLE = '**For the operator: replace this text'

/** Parts that go by the plans' figures. */
const BY_PLANS = ['service', 'gateway', 'api']

async function checkBrand({ config, docsRoot, listProcesses }: DoctorParts): Promise<Finding> {
  const samples: string[] = []
  for (const name of SAMPLES) {
    const text = config.brand.texts[name] ?? (await readFile(join(docsRoot, `${name}.md`), 'utf8'))
    if (text.includes(SAMPLE)) samples.push(name)
  }
  const others = ((await listProcesses?.()) ?? []).filter(
    ({ part, plans }) => BY_PLANS.includes(part) && plans !== undefined && plans !== plansText(),
  )
  const sentence = `Still the samples that come with the software: ${samples.join(', ')}.`
  return together(
    [
      others.length > 0 &&
        fail(
          `Processes go by other figures of plans than this one: ${others.map(({ part, name }) => `${part} ${name}`).join(', ')}.`,
          'Give every process the same BRAND_DIR and the same plans.json in it, and restart them.',
        ),
      config.production &&
        samples.length > 0 &&
        warn(sentence, `Put your own ${samples.map((name) => `${name}.md`).join(', ')} into BRAND_DIR.`),
    ],
    samples.length > 0
      ? `${sentence} That is enough while nobody else uses this service.`
      : 'The legal texts are your own.',
  )
}

async function checkOperator(parts: DoctorParts): Promise<Finding> {
  const { config } = parts
  const accounts = await findUpToDate(parts)
  if (!accounts) return skipped(NO_ACCOUNTS_YET)
  const operators = await accounts.listOperators()
  const room = roomOf(config)
  const thirdParties = Object.keys(config.thirdParties).length > 0
  return together(
    [
      operators.length === 0 &&
        warn(
          'There is no operator, so nobody can sign in to the room.',
          'Run pairwire operator add with your email on this machine.',
        ),
      room.isShut &&
        warn(
          'The room stays shut, since its address is not https.',
          'Set PUBLIC_URL or ADMIN_URL to an https address.',
        ),
      config.production &&
        config.adminAllow === undefined &&
        warn(
          'The room answers nobody, since ADMIN_ALLOW is not set.',
          'Set ADMIN_ALLOW to the addresses from which you work, such as 203.0.113.7.',
        ),
      thirdParties &&
        config.adminUrl === undefined &&
        warn(
          'Scripts of third parties run on the pages of the host that the room is on.',
          'Set ADMIN_URL to an https address of its own for the room, and let it lead to the same service.',
        ),
    ],
    `${operators.length === 1 ? 'There is an operator' : `There are ${operators.length} operators`}, and the room is at ${room.url}.`,
  )
}

function checkBackup({ config: { backupFolder, production } }: DoctorParts): Finding {
  if (backupFolder === undefined) {
    const sentence = 'No backups are made.'
    const fix = 'Set BACKUP_DIR to a folder, best on another disk, and restart the service.'
    return production ? warn(sentence, fix) : skipped(`${sentence} BACKUP_DIR sets them up.`)
  }
  const madeAt = Math.min(lastBackupAt(backupFolder), Date.now()) // a clock that ran ahead may have dated it
  const fix = `Look into the log of the service for why, make sure that its user can write to ${backupFolder}, and restart it: a missed backup is made at once.`
  if (madeAt === 0) return warn(`There is no backup in ${backupFolder} yet.`, fix)
  const sentence = `The newest backup is ${Math.floor((Date.now() - madeAt) / HOUR_MS)} hours old.`
  return Date.now() - madeAt > BACKUP_MS ? fail(sentence, fix) : ok(sentence)
}
