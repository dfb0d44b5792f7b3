import { userInfo } from 'node:os'
import { askService, type Print } from '@pairwire/api/ask-service'
import { codeOf } from '@pairwire/basics'
import { isDataFolder } from '@pairwire/process/data-folder'
import { readConfig } from './config.ts'
import { runMachineVerb } from './machine-verbs.ts'
import { orStatus, report, write, writeText } from './operator/output.ts'
import { createPrinter } from './operator/print-rows.ts'
import { type AskedVerb, readWords } from './operator/read-words.ts'
import { usageText } from './operator/usage-text.ts'

/**
 * Runs a verb of the operator's tool, and loads only what that verb needs.
 *
 * @returns the exit status: 0 done, 1 refused, 2 wrong usage or unreadable file
 */
export async function runVerb(words: string[]): Promise<number> {
  const [first = ''] = words
  const asksForHelp = words.some((word) => word === '--help' || word === '-h') && first !== 'chain'
  if (asksForHelp || first === 'help') {
    write(usageText(words))
    return 0
  }
  const asked = readWords(words)
  if (asked) return orStatus(1, () => perform(asked))
  const status = await runMachineVerb(words)
  if (status !== undefined) return status
  report(usageText(words))
  return 2
}

/** Milliseconds within which a service that has the folder must listen, or release it. */
const LISTENING_WITHIN_MS = 60_000

/** Through the running service; without one, on its database. Creates none: a mistyped folder holds nothing. */
async function perform({ name, verb, input, format }: AskedVerb): Promise<0> {
  const config = readConfig(process.env)
  const request = { verb: name, input, as: format === 'csv' ? 'csv' : 'rows', actor: systemUser() } as const
  const isTable = verb.isList && format === undefined && process.stdout.isTTY
  const { print, end } = createPrinter(isTable ? 'table' : 'json', writeText)
  const printAndDraw = await drawingCodes(print)
  const until = performance.now() + LISTENING_WITHIN_MS
  let isTold = false
  while (!(await askService(config.dataFolder, request, printAndDraw))) {
    if (!isDataFolder(config.dataFolder, config.databaseUrl === undefined)) {
      throw new Error(
        `DATA_DIR: no service keeps its data in ${config.dataFolder}. ` +
          'Set it to the service’s folder, or to the api’s if each part runs alone.',
      )
    }
    const { runHere } = await import('./operator/run-here.ts')
    try {
      await runHere(request, config, printAndDraw)
      break
    } catch (error) {
      if (codeOf(error) !== 'EBUSY' || performance.now() > until) throw error
      if (!isTold) report('Another process uses DATA_DIR; this waits for it, a minute at most.')
      isTold = true
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  }
  await end()
  return 0
}

/** Draws on a terminal, beside a row with the secret of codes, the QR code that an app reads. */
async function drawingCodes(print: Print): Promise<Print> {
  if (!process.stdout.isTTY) return print
  const { renderUnicodeCompact } = await import('uqr')
  return async (said) => {
    await print(said)
    const row: unknown = 'row' in said ? said.row : undefined
    if (typeof row === 'object' && row !== null && 'uri' in row) report(renderUnicodeCompact(String(row.uri)))
  }
}

/** The name of the system's user, for the list of acts. */
function systemUser(): string {
  try {
    return userInfo().username
  } catch {
    // A container may run as a user without a name.
    return `user ${process.getuid?.()}`
  }
}
