import { type Checks, type Finding, fail, ok, skipped, together, warn } from '@pairwire/api'
import { messageOf, systemClock } from '@pairwire/basics'
import { askRpc, checkSource, openSource } from '@pairwire/ingest'
import type { Config } from '../config.ts'

/** Milliseconds for which an endpoint is watched: the rest of a check's time is for connecting. */
const WATCH_MS = 5_000

const FIX =
  'Ask the provider of the endpoint, or name another one. Run pairwire check-source to see everything that it gives and lacks.'

const RPC_FIX =
  'Correct SOLANA_RPC_URL, or name the RPC of another provider: it has to serve getBlock on mainnet.'

/** Checks of the chain. */
export function sourceChecks(config: Config, watchMs = WATCH_MS): Checks {
  return {
    source: (signal) => checkChain(config, watchMs, signal),
    rpc: (signal) => checkRpc(config, signal),
  }
}

async function checkChain(config: Config, forMs: number, signal: AbortSignal): Promise<Finding> {
  const { solanaSource, solanaSourceTokens: tokens, solanaRpcUrl, sourceKind } = config
  try {
    if (sourceKind !== 'chain') {
      openSource(solanaSource, { clock: systemClock, nextRun: async () => 1, loopByDefault: true })
      return ok(sourceKind === 'simulator' ? 'The market is simulated.' : 'A recording is replayed.')
    }
    const lines: string[] = []
    const write = (line: string) => void lines.push(line)
    const watch = { tokens, clock: systemClock, signal, forMs, write }
    await checkSource(solanaSource, { ...watch, rpcUrl: undefined })
    const said = (word: string) =>
      lines.flatMap((line) => (line.startsWith(`  ${word}: `) ? [line.slice(word.length + 4)] : []))
    // The RPC has a check of its own, and then replay is not missed.
    const notes = said('Note').filter((note) => !(solanaRpcUrl && note.startsWith('It offers no replay')))
    return together(
      [
        ...said('Wrong').map((sentence) => fail(sentence, FIX)),
        ...notes.map((sentence) => warn(sentence, FIX)),
      ],
      `${lines.filter((line) => /^\w/.test(line) && !line.startsWith('SOLANA')).join(', ')} can be used.`,
    )
  } catch (error) {
    return fail(messageOf(error), 'Correct SOLANA_SOURCE; .env.example says what it can be.')
  }
}

async function checkRpc(
  { solanaRpcUrl, solanaSource, sourceKind }: Config,
  signal: AbortSignal,
): Promise<Finding> {
  if (sourceKind !== 'chain') return skipped('No chain is read.')
  if (solanaRpcUrl === undefined) {
    if (/(^|\s)(rpc|logs)\+/i.test(solanaSource)) return ok('The source itself is asked for what is missing.')
    return warn(
      'SOLANA_RPC_URL is not set: slots that no source can replay become gaps, and tokens have no names.',
      'Set SOLANA_RPC_URL to the address of an RPC of the same chain.',
    )
  }
  const { says, findings } = await askRpc(new URL(solanaRpcUrl), undefined, systemClock, signal)
  return together(
    findings.map(({ isFatal, sentence }) => (isFatal || says.length === 0 ? fail : warn)(sentence, RPC_FIX)),
    says.join(' '),
  )
}
