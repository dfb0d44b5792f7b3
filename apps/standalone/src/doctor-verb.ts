import { parseArgs } from 'node:util'
import { type Checks, createDoctor, DOCS_ROOT, doorChecks } from '@pairwire/api'
import { askService } from '@pairwire/api/ask-service'
import { setPlanFigures } from '@pairwire/contract'
import { type CheckName, type CheckRow, DOCTOR_VERBS } from '@pairwire/contract/operator'
import { lookAtAccounts, readSecrets } from '@pairwire/process'
import { type Config, readAnyConfig, readHiddenConfig } from './config.ts'
import { settingsCheck } from './doctor/settings-check.ts'
import { sourceChecks } from './doctor/source-checks.ts'
import { report, write } from './operator/output.ts'

/** Checks of the embedded database: a service that holds it open answers at once, where opening it aside takes seconds. */
const OF_SERVICE: readonly CheckName[] = ['secrets', 'database', 'operator']

/** How a line for people begins. */
const MARKS = { ok: 'ok     ', warn: 'WARN   ', fail: 'FAIL   ', skipped: 'skipped' }

/** `doctor [--only a,b] [--json] [--mail-to <email>]`: all checks, from this machine. @returns the exit status */
export async function runDoctorVerb(words: string[]): Promise<number> {
  const asked = readWords(words)
  if (!asked) {
    report(`Usage: npm run pairwire -- doctor [--only a,b] [--json] [--mail-to <email>]`)
    return 2
  }
  const { config, faults } = readAnyConfig(process.env)
  if (config) setPlanFigures(config.brand.figures)
  const looking = config && openOnce(config)
  const doctor = createDoctor(
    {
      ...settingsCheck(faults),
      ...(config && looking && doorChecks({ config, docsRoot: DOCS_ROOT, mailTo: asked.mailTo, ...looking })),
      ...(config && { ...sourceChecks(config), ...(await askForChecks(config)) }),
    },
    { whySkipped: 'It waits until the settings are right.', secrets: readHiddenConfig(process.env) },
  )
  let status = 0
  for await (const row of doctor(asked.only?.split(','))) {
    if (row.state === 'fail') status = 1
    write(asked.isJson ? JSON.stringify(row) : lineOf(row))
  }
  await looking?.close()
  return status
}

/** Undefined for an unknown option or check. */
function readWords(words: string[]) {
  try {
    const { values } = parseArgs({
      args: words,
      options: { only: { type: 'string' }, json: { type: 'boolean' }, 'mail-to': { type: 'string' } },
    })
    const { only, json, 'mail-to': mailTo } = values
    const parsed = DOCTOR_VERBS['machine doctor'].input.safeParse({ only })
    if (!parsed.success) {
      report(parsed.error.issues[0]!.message)
      return undefined
    }
    return { only, isJson: json || !process.stdout.isTTY, mailTo }
  } catch {
    return undefined
  }
}

/** What the running service finds of the embedded database; nothing if none runs, or one that has no doctor. */
async function askForChecks({ dataFolder, databaseUrl }: Config): Promise<Checks> {
  const found: [CheckName, () => CheckRow][] = []
  const input = { only: OF_SERVICE.join(',') }
  const request = { verb: 'machine doctor', input, as: 'rows', actor: 'doctor' } as const
  if (!databaseUrl) {
    await askService(dataFolder, request, (said) => {
      const row = 'row' in said ? DOCTOR_VERBS['machine doctor'].row.parse(said.row) : undefined
      if (row) found.push([row.check, () => row])
    }).catch(() => {})
  }
  return Object.fromEntries(found)
}

/** The accounts as they are, opened by the first check that asks for them. */
function openOnce(config: Config) {
  let opened: ReturnType<typeof lookAtAccounts> | undefined
  return {
    async accounts() {
      opened ??= lookAtAccounts(config)
      return (await opened)?.accounts
    },
    sessionSecret: () => readSecrets(config.dataFolder, config, false).secrets.session,
    close: async () => (await opened?.catch(() => undefined))?.close(),
  }
}

function lineOf({ check, state, sentence, fix }: CheckRow): string {
  const line = `${MARKS[state]} ${check.padEnd(14)} ${sentence}`
  return fix === null ? line : `${line}\n${' '.repeat(23)}→ ${fix}`
}
