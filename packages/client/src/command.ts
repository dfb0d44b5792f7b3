#!/usr/bin/env node
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { readObject } from '@pairwire/basics/json'
import { fileCursors } from './file-cursors.ts'
import { createPairwire } from './index-node.ts'
import { createFakeServer } from './testing.ts'

const USAGE = `pairwire-client tail <swaps|newPairs|blocks> [<params as JSON>] [--cursors <file>] [--items]
pairwire-client fake [--port <number>]

The address and the key of the service are PAIRWIRE_URL and PAIRWIRE_KEY.`

try {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      cursors: { type: 'string' },
      items: { type: 'boolean', default: false },
      port: { type: 'string', default: '0' },
    },
  })
  const [verb, kind = '', params = '{}'] = positionals
  if (verb === 'tail' && isKind(kind)) await tail(kind, params, values)
  else if (verb === 'fake') await fake(Number(values.port))
  else throw new Error(USAGE)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 2 // wrong usage, or an error that no retry fixes
}

/** Prints each event, or with `items` every item, as a line of JSON; gaps and states go to stderr. */
async function tail(
  kind: 'swaps' | 'newPairs' | 'blocks',
  text: string,
  { cursors, items }: { cursors?: string; items: boolean },
): Promise<void> {
  const params = readObject(text)
  if (!params) throw new Error(`The params must be a JSON object, {} for none, and not ${text}.`)
  const pairwire = createPairwire({
    onState: (state, why) => console.error(why ? `${state}: ${why.message}` : state),
    onWarning: console.error,
  })
  const options = { name: `tail ${kind}`, ...(cursors !== undefined && { cursors: fileCursors(cursors) }) }
  const stream = {
    swaps: () => pairwire.swaps(params, options),
    newPairs: () => pairwire.newPairs(params, options),
    blocks: () => pairwire.blocks(options),
  }[kind]()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void pairwire.close())
  // A reader that closes the pipe, such as `head`, ends it.
  process.stdout.on('error', () => void pairwire.close())
  for await (const item of items ? stream.items() : stream) {
    if (!process.stdout.write(`${JSON.stringify(item)}\n`))
      await once(process.stdout, 'drain').catch(() => {})
  }
}

/** Runs a fake server until it is stopped. */
async function fake(port: number): Promise<void> {
  const server = await createFakeServer({ port })
  console.log(JSON.stringify({ url: server.url, key: server.key }))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void server.stop())
}

function isKind(text: string): text is 'swaps' | 'newPairs' | 'blocks' {
  return ['swaps', 'newPairs', 'blocks'].includes(text)
}
