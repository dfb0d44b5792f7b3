import { orStatus, report, write, writeText } from './operator/output.ts'

/** Runs a verb of the machine with its words. @returns the exit status @throws Error with a sentence if it cannot be done */
type MachineRun = (words: string[]) => Promise<number>

/**
 * The verbs that the tool runs itself, by their first words. Each loads its own code.
 *
 * `check-source` and `decode` end with 2 where an endpoint or a file cannot be used; the others with 1 if there are faults.
 */
const RUNS: Readonly<Record<string, MachineRun>> = {
  decode: async (words) => {
    const { decodeFiles } = await import('@pairwire/ingest')
    return (await decodeFiles(words, { write: (line) => writeText(`${line}\n`), report })).exitStatus
  },
  'check-source': check,
  audit: async (words) => {
    const { runAuditVerb } = await import('./audit-verb.ts')
    return (await runAuditVerb(words, await options())) ? 0 : 1
  },
  backfill: async (words) => {
    const { runBackfillVerb } = await import('./history/backfill-verb.ts')
    await runBackfillVerb(words, await options())
    return 0
  },
  export: async (words) => {
    const { runExportVerb } = await import('./history/export-verb.ts')
    await runExportVerb(words, { ...(await options()), writeText })
    return 0
  },
  'archive check': async (words) => {
    const { runCheckVerb } = await import('./history/check-verb.ts')
    return (await runCheckVerb(words, await options())) ? 0 : 1
  },
  doctor: async (words) => {
    const { runDoctorVerb } = await import('./doctor-verb.ts')
    const status = await runDoctorVerb(words)
    // A connection that nobody answers would hold the process for minutes.
    setTimeout(() => process.exit(status), 500).unref()
    return status
  },
  version: async () => {
    const { versions } = await import('@pairwire/api')
    write(JSON.stringify(versions()))
    return 0
  },
  backup: async (words) => (await import('./backup-verbs.ts')).runBackupVerb(words, untilInterrupted()),
  restore: async (words) => (await import('./backup-verbs.ts')).runRestoreVerb(words, untilInterrupted()),
  chain: async (words) => {
    // Nothing else in production loads the double of the chain.
    const { runChainVerb } = await import('./chain/chain-verb.ts')
    return runChainVerb(words, { write, report, signal: untilInterrupted() })
  },
}

/** Runs the verb that the words begin with. @returns the exit status; undefined if there is none, `decode` lacks a file, or words follow `version` */
export async function runMachineVerb(words: string[]): Promise<number | undefined> {
  const name = Object.keys(RUNS).find((name) => name === words.slice(0, name.split(' ').length).join(' '))
  const rest = words.slice(name?.split(' ').length)
  const isWrong = name === 'decode' ? rest.length === 0 : name === 'version' && rest.length > 0
  if (name === undefined || isWrong) return undefined
  return orStatus(2, () => RUNS[name]!(rest))
}

/** What the verbs on the stream and its archive take. */
async function options() {
  const { readConfig } = await import('./config.ts')
  return { config: readConfig(process.env), write, report, signal: untilInterrupted() }
}

/** @returns the exit status: 0 if every endpoint can be used, 2 if one cannot */
async function check(urls: string[]): Promise<0 | 2> {
  const { checkSource } = await import('@pairwire/ingest')
  const { systemClock } = await import('@pairwire/basics')
  const { readSourceConfig } = await import('./config.ts')
  const { solanaSource, solanaSourceTokens: tokens, solanaRpcUrl: rpcUrl } = readSourceConfig(process.env)
  const parts = { tokens, rpcUrl, clock: systemClock, write, signal: new AbortController().signal }
  if (urls.length === 0) return (await checkSource(solanaSource, parts)) ? 0 : 2
  try {
    return (await checkSource(urls.join(' '), parts)) ? 0 : 2
  } catch (error) {
    // It was an argument, not the setting.
    throw error instanceof Error ? new Error(error.message.replace(/^SOLANA_SOURCE: /, '')) : error
  }
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
