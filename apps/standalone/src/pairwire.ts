import { parseArgs } from 'node:util'
import { askService, OperatorRequest, type Print, runOperation } from '@pairwire/api'
import { checkSource, decodeFiles } from '@pairwire/ingest'
import { isDataFolder, openAccounts, systemClock } from '@pairwire/process'
import { runAuditVerb } from './audit-verb.ts'
import { readConfig, readSourceConfig } from './config.ts'

const USAGE = `Usage: npm run pairwire -- <verb>

  decode <file or folder>…                                   events of recorded transactions, one line of JSON each
  status add "Details"                                       shows a notice in the status banner
  status clear                                               removes all notices
  account create <email>… [--plan <plan>]                    creates accounts
  account show <email>                                       prints an account
  account plan <email> <plan> [--connections N]              grants a plan; "none" removes it
  key reset <email>                                          creates a new key
  check-source [<url>…]                                      what an endpoint of the chain is, gives and lacks;
                                                             without a url, those of SOLANA_SOURCE
  audit --from-slot N --to-slot N [--source <url>]           decodes these blocks again and compares them with the stream;
                                                             without a url, blocks from SOLANA_RPC_URL
  chain [--port N] [--swaps N] [--seed N] [--fault <name>=<value>]…
                                                             a stand-in for the chain, fed by the simulator

  ingest | gateway | api                                     one part alone, connected to the others by NATS_URL and
                                                             DATABASE_URL

Plans: newpairs, basic, pro.`

/** Parts that run alone; each keeps running after its start and ends the process itself. */
const ALONE = new Map<string, () => Promise<unknown>>([
  ['ingest', () => import('@pairwire/ingest/main')],
  ['gateway', () => import('@pairwire/gateway/main')],
  ['api', () => import('@pairwire/api/main')],
])

process.stdout.on('error', () => process.exit(0)) // A reader that has seen enough, as in `… | head`.
process.exitCode = await main(process.argv.slice(2))

/** @returns the exit status: 0 done, 1 refused, 2 wrong usage or unreadable file */
async function main(words: string[]): Promise<number> {
  const asksForHelp = words.some((word) => word === '--help' || word === '-h') && words[0] !== 'chain'
  if (asksForHelp || words[0] === 'help') {
    console.log(USAGE)
    return 0
  }

  if (words[0] === 'decode' && words.length > 1) {
    const { exitStatus } = await decodeFiles(words.slice(1), {
      write: (line) => writeLine(line),
      report: (line) => console.error(line),
    })
    return exitStatus
  }

  const alone = words.length === 1 ? ALONE.get(words[0]!) : undefined
  if (alone) {
    await alone()
    return 0
  }

  if (words[0] === 'check-source') return check(words.slice(1))
  if (words[0] === 'audit') return audit(words.slice(1))
  if (words[0] === 'chain') {
    // Nothing else of production loads the double of the chain.
    const { runChainVerb } = await import('./chain/chain-verb.ts')
    return runChainVerb(words.slice(1), {
      write: (line) => console.log(line),
      report: (line) => console.error(line),
      signal: untilInterrupted(),
    })
  }

  const request = readRequest(words)
  if (!request) {
    console.error(USAGE)
    return 2
  }
  try {
    await perform(request)
    return 0
  } catch (error) {
    if (!(error instanceof Error)) throw error
    console.error(error.message)
    return 1
  }
}

/** Writes a line and waits while the reader is behind, so that a large recording is never held in memory. */
function writeLine(line: string): void | Promise<void> {
  if (process.stdout.write(`${line}\n`)) return
  return new Promise((resolve) => process.stdout.once('drain', resolve))
}

/** @returns the exit status: 0 when every endpoint can be used, 2 when one cannot */
async function check(urls: string[]): Promise<0 | 2> {
  try {
    const { solanaSource, solanaSourceTokens, solanaRpcUrl } = readSourceConfig(process.env)
    const canBeUsed = await checkSource(urls.length > 0 ? urls.join(' ') : solanaSource, {
      tokens: solanaSourceTokens,
      rpcUrl: solanaRpcUrl,
      clock: systemClock,
      write: (line) => console.log(line),
      signal: new AbortController().signal,
    })
    return canBeUsed ? 0 : 2
  } catch (error) {
    if (!(error instanceof Error)) throw error
    console.error(urls.length > 0 ? error.message.replace(/^SOLANA_SOURCE: /, '') : error.message)
    return 2
  }
}

/** @returns the exit status: 0 all is right, 1 something is at fault, 2 it could not be done */
async function audit(words: string[]): Promise<0 | 1 | 2> {
  try {
    const isRight = await runAuditVerb(words, {
      config: readConfig(process.env),
      write: (line) => console.log(line),
      report: (line) => console.error(line),
      signal: untilInterrupted(),
    })
    return isRight ? 0 : 1
  } catch (error) {
    if (!(error instanceof Error)) throw error
    console.error(error.message)
    return 2
  }
}

/** Aborts at Ctrl-C or at the wish of whoever runs the process; a second time the process ends at once. */
function untilInterrupted(): AbortSignal {
  const abort = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => abort.abort())
  return abort.signal
}

/** Through the running service; without one, on its database. Makes none: a folder that was mistyped holds nothing. */
async function perform(request: OperatorRequest): Promise<void> {
  const config = readConfig(process.env)
  const print: Print = (account) => console.log(JSON.stringify(account))
  if (await askService(config.dataFolder, request, print)) return
  if (!isDataFolder(config.dataFolder, config.databaseUrl === undefined)) {
    throw new Error(
      `DATA_DIR: no service keeps its data in ${config.dataFolder}. ` +
        'Set it to the service’s folder, or to the api’s if each part runs alone.',
    )
  }

  const { accounts, close } = await openAccounts(config, (line) => console.error(line), { isBrief: true })
  try {
    // No service, so no gateway and no page that would have to hear of it.
    await runOperation(request, {
      accounts,
      tell: async () => {},
      noticesChanged: async () => {},
      print,
    })
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
    plan: verb === 'plan' ? rest[1] : values.plan,
    ...(values.connections === undefined ? {} : { connections: Number(values.connections) }),
  }
  return OperatorRequest.safeParse(request).data
}

function parseWords(words: string[]) {
  try {
    return parseArgs({
      args: words,
      allowPositionals: true,
      options: { plan: { type: 'string' }, connections: { type: 'string' } },
    })
  } catch {
    return { values: undefined, positionals: [] }
  }
}
