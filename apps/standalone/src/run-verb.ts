import { parseArgs } from 'node:util'
import { askService, OperatorRequest, openBilling, type Print, runOperation } from '@pairwire/api'
import { openArchive } from '@pairwire/archive'
import { systemClock } from '@pairwire/basics'
import { checkSource, decodeFiles } from '@pairwire/ingest'
import { isDataFolder, openAccounts } from '@pairwire/process'
import { runAuditVerb } from './audit-verb.ts'
import { readConfig, readSourceConfig } from './config.ts'
import { runBackfillVerb } from './history/backfill-verb.ts'
import { runCheckVerb } from './history/check-verb.ts'
import { runExportVerb } from './history/export-verb.ts'

const USAGE = `Usage: npm run pairwire -- <verb>

  decode <file or folder>…                                   events of recorded transactions, one line of JSON each
  status add "Details"                                       shows a notice in the status banner
  status clear                                               removes all notices
  account create <email>… [--plan <plan>]                    creates accounts
  account show <email>                                       prints an account
  account plan <email> <plan> [--connections N]              grants a plan; "none" removes it
  key reset <email>                                          creates a new key
  order create <email> --offer <offer> [--to T]              gives hours of history for nothing, up to the hour T;
                                                             without one, up to the last whole hour
  order list [--state <state>]                               orders, newest first, 200 at most
  order show <id>                                            what is known of an order and its payment
  order refund <id> --yes                                    asks the provider to give the whole money back
  check-source [<url>…]                                      what an endpoint of the chain is, gives and lacks;
                                                             without a url, those of SOLANA_SOURCE
  backfill --from T --to T [--source <url>] [--force]        makes hours of history that are missing or incomplete from
                                                             blocks read again; with --force all of them
  backfill --gaps                                            the same between the oldest and the newest hour that is kept
  export --from T --to T [--format <format>] [--out <folder>]
                                                             copies hours out: ndjson to the output, or ndjson, zip or
                                                             parquet to a folder
  archive check [--from T --to T] [--chain]                  compares the hours with their manifests and each other, with
                                                             --chain also with the blocks of SOLANA_RPC_URL
  audit --from-slot N --to-slot N [--source <url>]           decodes these blocks again and compares them with the stream;
                                                             without a url, blocks from SOLANA_RPC_URL
  chain [--port N] [--swaps N] [--seed N] [--fault <name>=<value>]…
                                                             a stand-in for the chain, fed by the simulator

  ingest | archiver | gateway | api                          one part alone, connected to the others by NATS_URL and
                                                             DATABASE_URL

Plans: newpairs, basic, pro. Offers: hour, day, week, month.
States: awaiting_payment, paid, lapsed, failed, refunded, expired.`

/**
 * Runs a verb of the operator's tool.
 *
 * @returns the exit status: 0 done, 1 refused, 2 wrong usage or unreadable file
 */
export async function runVerb(words: string[]): Promise<number> {
  const [first = '', ...rest] = words
  const asksForHelp = words.some((word) => word === '--help' || word === '-h') && first !== 'chain'
  if (asksForHelp || first === 'help') {
    write(USAGE)
    return 0
  }
  if (first === 'decode' && rest.length > 0) {
    return (await decodeFiles(rest, { write: writeLine, report })).exitStatus
  }
  if (first === 'check-source') return orStatus(2, () => check(rest))
  if (first === 'audit') return orStatus(2, () => audit(rest))
  if (first === 'backfill') return orStatus(2, () => backfill(rest))
  if (first === 'export') return orStatus(2, () => exportHours(rest))
  if (first === 'archive' && rest[0] === 'check') return orStatus(2, () => checkArchive(rest.slice(1)))
  if (first === 'chain') {
    // Nothing else in production loads the double of the chain.
    const { runChainVerb } = await import('./chain/chain-verb.ts')
    return runChainVerb(rest, { write, report, signal: untilInterrupted() })
  }

  const request = readRequest(words)
  if (request) return orStatus(1, () => perform(request))
  report(USAGE)
  return 2
}

function write(line: string): void {
  console.log(line)
}

function report(line: string): void {
  console.error(line)
}

/** Writes a line and waits while the reader is behind, so that a large recording is never held in memory. */
function writeLine(line: string): void | Promise<void> {
  return writeText(`${line}\n`)
}

function writeText(text: Buffer | string): void | Promise<void> {
  if (process.stdout.write(text)) return
  return new Promise((resolve) => process.stdout.once('drain', resolve))
}

/** The exit status of `run`; `failed`, with a sentence, if it throws. */
async function orStatus(failed: number, run: () => Promise<number>): Promise<number> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof Error)) throw error
    report(error.message)
    return failed
  }
}

/** @returns the exit status: 0 if every endpoint can be used, 2 if one cannot */
async function check(urls: string[]): Promise<0 | 2> {
  const { solanaSource, solanaSourceTokens, solanaRpcUrl } = readSourceConfig(process.env)
  const parts = { tokens: solanaSourceTokens, rpcUrl: solanaRpcUrl, clock: systemClock, write }
  const { signal } = new AbortController()
  if (urls.length === 0) return (await checkSource(solanaSource, { ...parts, signal })) ? 0 : 2
  try {
    return (await checkSource(urls.join(' '), { ...parts, signal })) ? 0 : 2
  } catch (error) {
    // It was an argument, not the setting.
    throw error instanceof Error ? new Error(error.message.replace(/^SOLANA_SOURCE: /, '')) : error
  }
}

/** @returns the exit status: 0 if all is right, 1 if there are faults */
async function audit(words: string[]): Promise<0 | 1> {
  const config = readConfig(process.env)
  return (await runAuditVerb(words, { config, write, report, signal: untilInterrupted() })) ? 0 : 1
}

/** @returns the exit status: 0 if every requested hour was made */
async function backfill(words: string[]): Promise<0> {
  await runBackfillVerb(words, { config: readConfig(process.env), write, report, signal: untilInterrupted() })
  return 0
}

async function exportHours(words: string[]): Promise<0> {
  await runExportVerb(words, { config: readConfig(process.env), write, writeText, report })
  return 0
}

/** @returns the exit status: 0 if all is right, 1 if there are faults */
async function checkArchive(words: string[]): Promise<0 | 1> {
  const config = readConfig(process.env)
  return (await runCheckVerb(words, { config, write, report, signal: untilInterrupted() })) ? 0 : 1
}

/** Aborts at Ctrl-C or a termination signal; a second one ends the process at once. */
function untilInterrupted(): AbortSignal {
  const abort = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => abort.abort())
  // A dead parent service waits for nothing.
  process.once('disconnect', () => abort.abort())
  process.channel?.unref()
  return abort.signal
}

/** Through the running service; without one, on its database. Creates none: a mistyped folder holds nothing. */
async function perform(request: OperatorRequest): Promise<0> {
  const config = readConfig(process.env)
  const print: Print = (line) => console.log(JSON.stringify(line))
  if (await askService(config.dataFolder, request, print)) return 0
  if (!isDataFolder(config.dataFolder, config.databaseUrl === undefined)) {
    throw new Error(
      `DATA_DIR: no service keeps its data in ${config.dataFolder}. ` +
        'Set it to the service’s folder, or to the api’s if each part runs alone.',
    )
  }

  const log = { info: () => {}, warn: console.error, error: console.error }
  const { accounts, secrets, close } = await openAccounts(config, log, { isBrief: true })
  try {
    await runOperation(request, {
      ...config,
      accounts,
      archive: await openArchive(config.archivePlace, { clock: systemClock, log }),
      billing: openBilling(config, secrets.session, log).billing,
      clock: Date.now,
      elapsed: () => performance.now(),
      log,
      // No service, so no gateway and no page that needs to be told.
      bus: { sendControl: async () => {} },
      noticesChanged: async () => {},
      print,
    })
    return 0
  } finally {
    await close()
  }
}

function readRequest(words: string[]): OperatorRequest | undefined {
  const { values, positionals } = parseWords(words)
  if (!values) return undefined
  const [noun, verb, ...rest] = positionals
  const request = {
    verb: `${noun} ${verb}`,
    details: rest[0],
    emails: rest,
    email: rest[0],
    ...values,
    ...(verb === 'plan' ? { plan: rest[1] } : {}),
    ...(values.connections === undefined ? {} : { connections: Number(values.connections) }),
    ...(noun === 'order' ? { id: Number(rest[0]) } : {}),
  }
  return OperatorRequest.safeParse(request).data
}

function parseWords(words: string[]) {
  try {
    return parseArgs({
      args: words,
      allowPositionals: true,
      options: {
        plan: { type: 'string' },
        connections: { type: 'string' },
        offer: { type: 'string' },
        to: { type: 'string' },
        state: { type: 'string' },
        yes: { type: 'boolean' },
      },
    })
  } catch {
    return { values: undefined, positionals: [] }
  }
}
