import { encodeBase58, NOTIFICATION_METHODS } from '@pairwire/contract'
import {
  type CallTally,
  createCallTally,
  type Decoded,
  type DecodedEvent,
  decodeTransaction,
  type Transaction,
} from '@pairwire/decoders'
import { newPairOf, swapOf } from './enrich/event-params.ts'
import { stableValue } from './enrich/prices.ts'
import { createChainOrder } from './recording/chain-order.ts'
import { readRecording } from './recording/read-recording.ts'
import { createSortedLines } from './recording/sorted-lines.ts'

/** The output of {@link decodeFiles}; a returned promise delays it until the reader has caught up. */
type DecodeOutput = Readonly<{
  /** One event as JSON. */
  write(line: string): void | Promise<void>
  /** A named refusal or a count, for people. */
  report(line: string): void | Promise<void>
}>

/**
 * Decodes recorded transactions for the operator: one event per line as JSON, in chain order, then the counts. It knows
 * only the USD values of stable quotes, since a recording has no reliable price of SOL.
 *
 * @returns exit status 0, or 2 when a file could not be read; the others are decoded all the same
 */
export async function decodeFiles(
  paths: readonly string[],
  output: DecodeOutput,
): Promise<{ exitStatus: 0 | 2 }> {
  const lines = createSortedLines()
  const tally = createCallTally()
  const counts = { transactions: 0, failed: 0, swaps: 0, newPairs: 0, refusals: 0, notTransactions: 0 }
  let exitStatus: 0 | 2 = 0
  try {
    const placeOf = createChainOrder()
    for (const path of paths) {
      for await (const recorded of readRecording(path)) {
        if ('refusal' in recorded) {
          if (recorded.isUnreadable) exitStatus = 2
          else counts.notTransactions++
          await output.report(`${recorded.place}: ${recorded.refusal}`)
          continue
        }
        const { transaction } = recorded
        counts.transactions++
        if (transaction.failed) counts.failed++
        const place = placeOf(transaction)
        const decoded = await decodeOne(transaction, tally, output)
        for (const { exchange, path: position, reason } of decoded.refusals) {
          counts.refusals++
          await output.report(
            `${encodeBase58(transaction.signature)}: ${exchange} ${reason} at instruction ${position}`,
          )
        }
        if (decoded.events.length === 0) continue
        for (const event of decoded.events) event.kind === 'swap' ? counts.swaps++ : counts.newPairs++
        await lines.add({ place, line: writeEvents(transaction, decoded.events) })
      }
    }
    for await (const { line } of lines.read())
      for (const event of line.split(DIVIDER)) await output.write(event)
  } finally {
    await lines.close()
  }
  await reportUnknown(tally, output)
  await output.report(
    `${counts.transactions} transactions (${counts.failed} failed on the chain): ` +
      `${counts.swaps} swaps, ${counts.newPairs} new pairs, ${counts.refusals} refusals; ` +
      `${counts.notTransactions} values were no transaction`,
  )
  return { exitStatus }
}

/** Reports unknown instructions of known programs, a line each, with their share of the program's calls. */
async function reportUnknown(tally: CallTally, output: DecodeOutput): Promise<void> {
  for (const [program, { exchange, understood, unknown, byDiscriminator }] of Object.entries(tally.read())) {
    for (const [discriminator, { count, example }] of Object.entries(byDiscriminator)) {
      await output.report(
        `${exchange} ${program}: instruction ${discriminator || '(empty)'} is not known, ` +
          `${count} of ${understood + unknown} calls, as in ${example}`,
      )
    }
  }
}

/** A decoder's bug costs one transaction, and is reported. */
async function decodeOne(transaction: Transaction, tally: CallTally, output: DecodeOutput): Promise<Decoded> {
  try {
    return decodeTransaction(transaction, tally)
  } catch (error) {
    await output.report(`${encodeBase58(transaction.signature)}: a decoder failed, ${error}`)
    return { events: [], refusals: [] }
  }
}

/** JSON escapes every control character, so this one separates events and cannot occur in them. */
const DIVIDER = '\u0001'

function writeEvents(transaction: Transaction, events: readonly DecodedEvent[]): string {
  const { slot, blockTime } = transaction
  const signature = encodeBase58(transaction.signature)
  return events
    .map((event) =>
      JSON.stringify({
        method: NOTIFICATION_METHODS[event.kind],
        params:
          event.kind === 'swap'
            ? { slot, signature, blockTime, swap: swapOf(event, stableValue(event)) }
            : { slot, signature, blockTime, pair: newPairOf(event) },
      }),
    )
    .join(DIVIDER)
}
