import { type Clock, followSignals } from '@pairwire/basics'
import { isSlot } from '../chain/chain-numbers.ts'
import { type Feed, FeedError, type FeedOptions, type FeedParts, oneLine } from '../chain/feed.ts'
import { blocksInOrder } from './blocks-in-order.ts'
import { watchHead } from './head-watch.ts'
import { createPatience } from './patience.ts'
import { type BlockAnswer, readBlockPatiently } from './read-block.ts'
import { createRpcClient, RpcError } from './rpc-client.ts'

/** Attempts to read a block. */
const ATTEMPTS = 4

/** Reads whole confirmed blocks from a JSON-RPC, for operators without gRPC. */
export function createRpcFeed(options: FeedOptions): Feed {
  const { url, token, programs, clock } = options
  const limits = createLimitNotice(clock)
  const client = createRpcClient({ ...options, onLimit: limits.limited })
  const wanted = new Set(programs)
  return {
    name: `rpc ${client.host}`,
    canReplay: true,
    async read({ whereFrom, push, drained, report, signal }) {
      limits.reportTo(report)
      const version = await client.call('getVersion', [], signal).catch(orUndefined)
      report({ warning: null, ...(version === undefined ? {} : { version: describeVersion(version) }) })
      const head = await client.call('getSlot', [{ commitment: 'confirmed' }], signal).catch(asFeedError)
      if (!isSlot(head)) {
        throw new FeedError('unusable', 'The endpoint does not say at which slot it stands.')
      }

      const from = whereFrom({ head, firstAvailable: undefined })
      push({ kind: 'connected', from })
      const watch = watchHead({ client, url, token, clock, signal, head })
      const reading = followSignals(signal, watch.failed)
      const patience = createPatience(watch, clock)
      const read = async (slot: number, asking: AbortSignal): Promise<BlockAnswer> => {
        const options = { attempts: ATTEMPTS, alsoUnreachable: false, clock, signal: asking }
        const answer = await readBlockPatiently(client, slot, wanted, options)
        patience.answered(slot, answer.kind)
        return answer
      }
      try {
        const blocks = blocksInOrder({
          ...{ fromSlot: from ?? head, head: patience, read, clock, signal: reading.signal },
        })
        for await (const block of blocks) {
          limits.look()
          if (!push({ kind: 'block', block })) await drained()
        }
      } catch (error) {
        if (signal.aborted) return
        throw watch.failed.aborted ? watch.failed.reason : error
      } finally {
        reading.abort()
        watch.close()
      }
    },
  }
}

/** Milliseconds without "too many requests" after which the notice ends. */
const CALM_MS = 60_000

const LIMITED = 'The endpoint limits our calls (HTTP 429): blocks may arrive late.'

/** Reports that an endpoint limits our requests, until it was fine for a while. */
function createLimitNotice(clock: Clock) {
  let limitedAt: number | undefined
  let report: FeedParts['report'] = () => {}
  return {
    reportTo(reporter: FeedParts['report']) {
      report = reporter
    },
    limited() {
      limitedAt = clock.elapsed()
      report({ warning: LIMITED })
    },
    look() {
      if (limitedAt === undefined || clock.elapsed() - limitedAt < CALM_MS) return
      limitedAt = undefined
      report({ warning: null })
    },
  }
}

/** Describes an RPC's `getVersion` for people. */
export function describeVersion(version: unknown): string {
  const core = (version as Record<string, unknown> | null)?.['solana-core']
  return typeof core === 'string' ? `solana-core ${oneLine(core).slice(0, 50)}` : 'of an unknown version'
}

/** An endpoint that does not know its own version may still be useful. */
function orUndefined(error: unknown): undefined {
  if (!(error instanceof RpcError)) throw error
}

function asFeedError(error: unknown): never {
  throw error instanceof RpcError
    ? new FeedError('unusable', `The endpoint cannot say at which slot it stands: ${error.message}`)
    : error
}
