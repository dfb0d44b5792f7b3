import { createHash } from 'node:crypto'
import { type Clock, type Log, systemClock } from '@pairwire/basics'
import type { Chain, ChainTransaction } from '@pairwire/chain-double'
import { encodeBase58, parseCursor, type StreamEvent } from '@pairwire/contract'
import type { BlockTransaction } from '../slot-keeper/block-transaction.ts'
import type { Checkpoint, Place } from '../sources/chain/checkpoint.ts'
import type { Arrivals, Block, Gap, Source } from '../sources/source.ts'

/** The program whose transactions tests request, and another one. */
export const WANTED = encodeBase58(new Uint8Array(32).fill(200))
const UNWANTED = encodeBase58(new Uint8Array(32).fill(201))

/** A transaction of {@link WANTED}, or of another program, without effects; each `name` has its own signature. */
export function aChainTransaction(name: string, program: string = WANTED): ChainTransaction {
  const signature = createHash('sha512').update(name).digest()
  return {
    version: 0,
    transaction: {
      signatures: [encodeBase58(signature)],
      message: {
        header: { numRequiredSignatures: 1 },
        accountKeys: [encodeBase58(signature.subarray(0, 32)), program],
        instructions: [{ programIdIndex: 1, accounts: [0], data: '2' }],
      },
    },
    meta: { err: null, innerInstructions: [], logMessages: [], preTokenBalances: [], postTokenBalances: [] },
  }
}

/** Transactions of a block: `wanted` of the requested program, each followed by one of another. */
export function someTransactions(name: string, wanted: number): ChainTransaction[] {
  return Array.from({ length: wanted * 2 }, (_, at) =>
    aChainTransaction(`${name} ${at}`, at % 2 === 0 ? WANTED : UNWANTED),
  )
}

/** The entries of a source as texts: `slot:index,index`, `gap a-b`; of logs `slot~kind,kind`, `slot ends`. */
export type Collected = Readonly<{
  entries: readonly string[]
  /** Resolves once `test` holds for the entries; fails after a time that no sound run needs. */
  until(test: (entries: readonly string[]) => boolean): Promise<void>
  stop(): Promise<void>
}>

/** What was published of one block, or a gap, as such a text. */
export function entryOf(batch: readonly StreamEvent[]): string {
  const last = batch.at(-1)
  if (last?.kind === 'gap') return `gap ${last.params.fromSlot}-${last.params.toSlot}`
  const indexes = batch.slice(0, -1).map(({ cursor }) => parseCursor(cursor)?.transactionIndex)
  return `${parseCursor(last?.cursor ?? '')?.slot}:${indexes.join(',')}`
}

/** Reads a source into a list until it is stopped. `onEntry` is called before the next entry is requested. */
export function collect(
  source: Source,
  onEntry: (entry: string) => void = () => {},
  keptSlot?: number,
): Collected {
  const abort = new AbortController()
  const entries: string[] = []
  let changed = () => {}
  let failure: unknown
  const reading = (async () => {
    for await (const entry of source.blocks(abort.signal, keptSlot)) {
      entries.push(textOf(entry))
      onEntry(entries.at(-1)!)
      changed()
    }
  })().catch((error) => {
    failure = error
    changed()
  })
  return {
    entries,
    async until(test) {
      const limit = Date.now() + LIMIT_MS
      while (!test(entries)) {
        if (failure) throw failure
        const left = limit - Date.now()
        if (left <= 0) throw new Error(`What was waited for did not come; there is: ${entries.join(' ')}`)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, left)
          changed = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
    },
    async stop() {
      abort.abort()
      await reading
    },
  }
}

function textOf(entry: Block<BlockTransaction> | Arrivals | Gap): string {
  if ('fromSlot' in entry) return `gap ${entry.fromSlot}-${entry.toSlot}`
  if ('transactions' in entry)
    return `${entry.slot}:${entry.transactions.map(({ index }) => index).join(',')}`
  if (entry.endsSlot) return `${entry.slot} ends`
  const kinds = entry.arrived.flatMap(({ decoded }) => decoded.events.map(({ kind }) => kind))
  return `${entry.slot}~${kinds.join(',')}`
}

/** Resolves once `test` holds; fails after a time that no sound run needs. */
export async function eventually(test: () => boolean): Promise<void> {
  const limit = Date.now() + LIMIT_MS
  while (!test()) {
    if (Date.now() > limit) throw new Error(`It did not come true: ${test}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** Milliseconds that a test waits. */
const LIMIT_MS = 20_000

/** The entries of a faultless source for these blocks of a chain: every transaction of {@link WANTED}. */
export function expectedOf(chain: Chain, fromSlot = 0): string[] {
  return chain.blocks
    .filter(({ slot }) => slot >= fromSlot)
    .map(({ slot, transactions }) => {
      const indexes = transactions.flatMap(({ transaction }, index) =>
        transaction.message.accountKeys.includes(WANTED) ? [index] : [],
      )
      return `${slot}:${indexes.join(',')}`
    })
}

/** A clock `times` as fast as the machine's, so that tests wait less. */
export function createHastyClock(times: number): Clock {
  const began = Date.now()
  const startedAt = performance.now()
  const elapsed = () => (performance.now() - startedAt) * times
  return {
    now: () => began + elapsed(),
    elapsed,
    after: (milliseconds, callback) => systemClock.after(milliseconds / times, callback),
    wait: (milliseconds, signal) =>
      new Promise((resolve) => {
        const timer = setTimeout(done, milliseconds / times)
        function done() {
          clearTimeout(timer)
          signal.removeEventListener('abort', done)
          resolve()
        }
        if (signal.aborted) done()
        else signal.addEventListener('abort', done)
      }),
  }
}

/** A checkpoint in memory, which outlives its source. */
export function createMemoryCheckpoint(place?: Place): Checkpoint & { readonly place: Place | undefined } {
  let kept = place
  return {
    get place() {
      return kept
    },
    load: () => kept,
    save: (next) => {
      kept = next
    },
    settled: async () => {},
  }
}

/** A log that keeps its sentences. */
export function createListLog(): Log & { readonly lines: string[] } {
  const lines: string[] = []
  const add = (sentence: string) => void lines.push(sentence)
  return { lines, info: add, warn: add, error: add }
}
