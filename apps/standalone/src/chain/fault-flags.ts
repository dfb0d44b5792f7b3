import { type Faults, noFaults } from '@pairwire/chain-double'
import * as z from 'zod'

/** Faults of the chain itself, in addition to those of its servers. */
export type ChainFaults = {
  /** Share of slots without a block; their transactions come in the next one. */
  skips: number
  /** Share of slots of which another bank dies. */
  rivals: number
}

const part = z.coerce.number().min(0).max(1)
const count = z.coerce.number().int().min(0)
const choice = z.enum(['true', 'false']).transform((text) => text === 'true')

const FLAGS = {
  skips: part,
  rivals: part,
  repeats: part,
  reorder: count,
  midSlots: part,
  lateTransactions: part,
  lostVotes: part,
  hidesSlots: choice,
  silentDeaths: part,
  lostMetas: part,
  lostBlocks: part,
  drops: part,
  earlyMetas: part,
  malformed: part,
  padding: count.max(128 * 1024 * 1024),
  sendsDeadBanks: choice,
  hidesBanks: choice,
  isSilent: choice,
  replay: z.enum(['served', 'refused', 'off', 'ignored', 'stalled']),
  history: count,
  lagsOut: choice,
  isDown: choice,
  token: z.string().regex(/^\S+$/),
  callsPerSecond: count,
  tooFast: z.enum(['http', 'error', 'skippedCode']),
  rpcErrors: part,
  maxSubscriptions: count,
  truncatedLogs: part,
} satisfies Record<keyof Faults | keyof ChainFaults, z.ZodType>

/** The possible names of faults, for people. */
export const FAULT_NAMES = Object.keys(FLAGS).join(', ')

/**
 * Parses faults from flags, `drops=0.01` each.
 *
 * @throws RangeError with a sentence for people if one is invalid
 */
export function readFaultFlags(texts: readonly string[]): Faults & ChainFaults {
  const faults: Faults & ChainFaults = { ...noFaults(), skips: 0, rivals: 0 }
  for (const text of texts) {
    const [name, value] = [text.split('=', 1)[0]!, text.slice(text.indexOf('=') + 1)]
    if (!text.includes('=') || !Object.hasOwn(FLAGS, name)) {
      throw new RangeError(`--fault ${text}: a fault is <name>=<value>, its name one of ${FAULT_NAMES}.`)
    }
    const read = FLAGS[name as keyof typeof FLAGS].safeParse(value)
    if (!read.success) throw new RangeError(`--fault ${text}: ${read.error.issues[0]!.message}.`)
    Object.assign(faults, { [name]: read.data })
  }
  return faults
}
