import { parseArgs } from 'node:util'
import { messageOf, systemClock } from '@pairwire/basics'
import { MAX_SWAPS_PER_SECOND } from '@pairwire/ingest'
import { FAULT_NAMES } from './fault-flags.ts'
import { serveChain } from './serve-chain.ts'

/** Where {@link runChainVerb} prints its lines, and the signal that ends it. */
type ChainVerbOutput = Readonly<{
  write(line: string): void
  report(line: string): void
  signal: AbortSignal
}>

/** `pairwire chain`: runs the stand-in until it is stopped. @returns the exit status: 1 refused, 2 wrong usage */
export async function runChainVerb(words: string[], output: ChainVerbOutput): Promise<0 | 1 | 2> {
  const { write, report, signal } = output
  if (words.includes('--help') || words.includes('-h')) {
    write('pairwire chain [--host H] [--port N] [--swaps N] [--seed N] [--fault <name>=<value>]…')
    write(`Faults: ${FAULT_NAMES}.`)
    return 0
  }
  try {
    const { host, port, swaps, seed, fault } = readFlags(words)
    const { port: listening, ended } = await serveChain({
      ...{ host, port, swapsPerSecond: swaps, seed, faults: fault },
      ...{ clock: systemClock, signal },
    })
    const address = `${host.includes(':') ? `[${host}]` : host}:${listening}`
    for (const line of introduction(address, swaps)) write(line)
    await ended
    return 0
  } catch (error) {
    if (!(error instanceof Error)) throw error
    report(sentenceOf(error))
    return error instanceof RangeError ? 2 : 1
  }
}

function introduction(address: string, swaps: number): readonly string[] {
  return [
    `A stand-in for the chain is running at ${address}, with about ${swaps} swaps a second. All its data is made up.`,
    'Point the service at it in one of these ways:',
    `  SOLANA_SOURCE=yellowstone+http://${address} SOLANA_RPC_URL=http://${address} npm start`,
    `  SOLANA_SOURCE=rpc+http://${address} npm start`,
    `  SOLANA_SOURCE=logs+ws://${address} npm start`,
    'Press Ctrl-C to stop it.',
  ]
}

/** The default port is that of Yellowstone servers. */
const OPTIONS = {
  host: { type: 'string', default: '127.0.0.1' },
  port: { type: 'string', default: '10000' },
  swaps: { type: 'string', default: '50' },
  seed: { type: 'string', default: '1' },
  fault: { type: 'string', multiple: true, default: [] as string[] },
} as const

/** @throws RangeError with a sentence for people */
function readFlags(words: string[]) {
  const { host, port, swaps, seed, fault } = parseWords(words)
  return {
    ...{ host, fault },
    port: readNumber('port', port, 0, 65_535),
    swaps: readNumber('swaps', swaps, 1, MAX_SWAPS_PER_SECOND),
    seed: readNumber('seed', seed, 0, Number.MAX_SAFE_INTEGER),
  }
}

function parseWords(words: string[]) {
  try {
    return parseArgs({ args: words, options: OPTIONS }).values
  } catch (error) {
    throw new RangeError(messageOf(error))
  }
}

function readNumber(name: string, text: string, low: number, high: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (value >= low && value <= high) return value
  throw new RangeError(`--${name} ${text}: must be a whole number from ${low} to ${high}.`)
}

function sentenceOf(error: Error): string {
  const code = 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE') return '--port: another program is using it.'
  if (code === 'EACCES') return '--port: this user cannot listen there; use one above 1023.'
  return error.message
}
