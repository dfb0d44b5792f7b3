import { BoundedMap, type Clock } from '@pairwire/basics'
import type { LogsDecoder } from '@pairwire/decoders'
import { FeedError } from '../chain/feed.ts'
import { readAccounts } from '../rpc/read-accounts.ts'
import { type RpcClient, RpcError } from '../rpc/rpc-client.ts'

/** Looks up accounts that logs only name, and passes them to the decoder. */
export type AccountLookup = ReturnType<typeof createAccountLookup>

/** What {@link createAccountLookup} needs. */
type AccountLookupParts = Readonly<{
  client: RpcClient
  decoder: LogsDecoder
  clock: Clock
  signal: AbortSignal
}>

/** Accounts in one request: the most that public endpoints allow. */
const BATCH = 100

/** Milliseconds between two requests: public endpoints allow 40 of a kind in 10 s. */
const PAUSE_MS = 300

/** Waiting accounts; further ones are not requested. */
const MAX_WAITING = 5_000

/** Milliseconds during which an account that could not be read is not requested again. */
const GIVEN_UP_MS = 60_000
/** Number of such accounts remembered. */
const MAX_GIVEN_UP = 20_000

/** Creates a lookup of many accounts at once, one request at a time. */
export function createAccountLookup({ client, decoder, clock, signal }: AccountLookupParts) {
  const waiting = new Map<string, (() => void)[]>()
  /** When each was given up, oldest first. */
  const givenUp = new BoundedMap<string, number>(MAX_GIVEN_UP)
  let isAsking = false
  let trouble: string | null = null

  const askOnce = async (addresses: readonly string[]): Promise<void> => {
    try {
      const params = [addresses, { encoding: 'base64', commitment: 'confirmed' }]
      const { accounts } = readAccounts(await client.call('getMultipleAccounts', params, signal))
      trouble = null
      for (const [at, address] of addresses.entries()) {
        const account = accounts[at]
        if (!account || !decoder.learn(address, account.owner, account.data))
          givenUp.set(address, clock.elapsed())
      }
    } catch (error) {
      if (!(error instanceof FeedError || error instanceof RpcError)) {
        if (!signal.aborted) throw error
        return
      }
      trouble = `Pools cannot be looked up: ${error.message}`
      for (const address of addresses) givenUp.set(address, clock.elapsed())
    }
  }

  const work = async (): Promise<void> => {
    isAsking = true
    while (waiting.size > 0 && !signal.aborted) {
      const addresses = [...waiting.keys()].slice(0, BATCH)
      await askOnce(addresses)
      for (const address of addresses) {
        const resolves = waiting.get(address) ?? []
        waiting.delete(address)
        for (const resolve of resolves) resolve()
      }
      await clock.wait(PAUSE_MS, signal)
    }
    isAsking = false
    for (const resolves of waiting.values()) for (const resolve of resolves) resolve()
    waiting.clear()
  }

  const askFor = (address: string): Promise<void> => {
    const since = clock.elapsed() - (givenUp.get(address) ?? Number.NEGATIVE_INFINITY)
    const others = waiting.get(address)
    if (since < GIVEN_UP_MS || (!others && waiting.size >= MAX_WAITING)) return Promise.resolve()
    return new Promise((resolve) => {
      waiting.set(address, [...(others ?? []), resolve])
    })
  }

  return {
    /** Resolves once each of them is known or given up. */
    async ask(addresses: readonly string[]) {
      const answers = addresses.map(askFor)
      if (!isAsking) void work()
      await Promise.all(answers)
    },
    /** The error of the last request as a sentence; null if it succeeded. */
    trouble: () => trouble,
  }
}
