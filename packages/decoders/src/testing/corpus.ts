import { keyOf } from '../bytes/key-table.ts'
import { decodeTransaction } from '../decode-transaction.ts'
import type { Decoder } from '../decoder.ts'
import { DECODERS, REGISTRY } from '../registry.ts'
import { CallTree } from '../transaction/call-tree.ts'
import { readRpcTransaction } from '../transaction/read-rpc-transaction.ts'
import type { Transaction } from '../transaction.ts'
import { readFixtures } from './fixtures.ts'
import { madeTrades } from './made-trades.ts'
import { withPlainInstructions } from './mutate.ts'
import { FOLDERS, openRecordings } from './recordings.ts'

/** Transactions with an event of one decoder. */
export type Corpus = Readonly<{ name: string; decoder: Decoder; transactions: readonly Transaction[] }>

/** Programs that run another's code under their own address, without recordings. */
const COPIES: Readonly<Record<string, string>> = { pancakeswap: 'raydium_clmm', byreal: 'raydium_clmm' }

/**
 * Returns the transactions to mutate for each decoder: the repository's fixtures, made trades if there are none, and,
 * with `hasRecordings`, the recordings on this machine.
 */
export function readCorpora(hasRecordings: boolean): readonly Corpus[] {
  const recordings = openRecordings(process.env)
  const records = [
    ...[...readFixtures().values()].flat(),
    ...(hasRecordings
      ? [...FOLDERS, 'prop-amms', 'prop-amms/executed'].flatMap((folder) => recordings.read(folder))
      : []),
  ]
  const transactions = [
    ...records.map((record) => withPlainInstructions(readRpcTransaction(record.read())!)),
    ...madeTrades(),
  ]
  const own = DECODERS.map((_, place) => transactions.filter((each) => calls(each, place)))
  return DECODERS.map((decoder, place) => {
    const copied = DECODERS.findIndex(({ exchange }) => exchange === COPIES[decoder.exchange])
    const original = DECODERS[copied]
    return {
      name: `${decoder.exchange} ${decoder.programIds[0]}`,
      decoder,
      transactions:
        original === undefined ? own[place]! : own[copied]!.map((each) => moved(each, original, decoder)),
    }
  })
}

/** Whether the transaction calls the program of this decoder and has an event. */
function calls(transaction: Transaction, decoder: number): boolean {
  const tree = new CallTree(transaction, REGISTRY)
  const isCalled = transaction.instructions.some((_, at) => {
    const role = tree.roleAt(at)
    return role?.kind === 'decoder' && role.decoder === decoder
  })
  return isCalled && decodeTransaction(transaction).events.length > 0
}

/** Redirects the calls to another address. */
function moved(transaction: Transaction, from: Decoder, to: Decoder): Transaction {
  const [source, target] = [from.programIds[0]!, keyOf(to.programIds[0]!)]
  const place = new CallTree(transaction, REGISTRY).indexOf(source)
  return { ...transaction, keys: transaction.keys.with(place, target) }
}
