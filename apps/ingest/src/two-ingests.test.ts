import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { bundleScript } from '@pairwire/basics/testing/bundle-script'
import { QUICK_NODE } from '@pairwire/basics/testing/quick-node'
import { openNatsBus, readNatsAddress } from '@pairwire/bus/nats'
import { startNatsServer, whyNoNatsServer } from '@pairwire/bus/testing/nats-server'
import { createChain, serveYellowstone } from '@pairwire/chain-double'
import type { StreamEvent } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { entryOf, eventually, someTransactions } from './testing/live-chain.ts'
import { silentLog } from './testing/silent-log.ts'
import { aFolder } from './testing/temporary-folder.ts'
import { judge } from './testing/torture.ts'

const missing = whyNoNatsServer()
if (missing) console.warn(`Two ingests are not tested: ${missing}.`)

const BLOCK_EVERY_MS = 25

describe.skipIf(missing !== undefined)('two ingests of one chain', () => {
  // Guards the promise of the stream while processes die: complete, in order, each event once, and no gap.
  it('publish each block once and in order, whichever is killed or pauses for a while', {
    timeout: 120_000,
  }, async () => {
    const [nats, chain] = [await startNatsServer(), createChain({ firstSlot: 1_000 })]
    const server = await serveYellowstone({ chain })
    server.faults.history = 100_000
    const gateway = await openNatsBus({
      address: readNatsAddress(nats.url),
      source: 'chain',
      retention: { milliseconds: 86_400_000, bytes: 10_000_000 },
      maxBytes: 1_000_000,
      log: silentLog,
    })
    const seen: string[] = []
    gateway.subscribe((events) => seen.push(...entriesOf(events)))
    const both = await Promise.all([startIngest(server.url, nats.url), startIngest(server.url, nats.url)])
    const growing = setInterval(
      () => chain.add(someTransactions(String(chain.blocks.length), 3)),
      BLOCK_EVERY_MS,
    )
    try {
      // They begin together: it is settled who publishes when the other stands by.
      const areSettled = () =>
        both
          .map(({ state }) => state())
          .sort()
          .join() === 'publishing,standby'
      await eventually(() => areSettled() && server.streams() === 2)
      const active = both.find(({ state }) => state() === 'publishing')!
      const other = both.find((each) => each !== active)!
      // It never has the blocks from before the other one joined the chain.
      const joined = chain.head()!.slot
      await eventually(() => slotOf(seen.at(-1)) > joined + 2)

      active.signal('SIGKILL')
      await eventually(() => other.state() === 'publishing')
      await active.restart()
      await eventually(() => active.state() === 'standby' && slotsSince(seen) > 5)

      other.signal('SIGSTOP')
      await eventually(() => active.state() === 'publishing')
      other.signal('SIGCONT')
      await eventually(() => other.state() === 'standby' && slotsSince(seen) > 5)

      clearInterval(growing)
      const last = chain.head()!.slot
      await eventually(() => seen.some((entry) => entry.startsWith(`${last}:`)))
      expect(judge(0, chain, [seen], last)).toMatchObject({ problems: [], gaps: 0 })
    } finally {
      clearInterval(growing)
      for (const { signal } of both) signal('SIGKILL')
      await gateway.close()
      await server.close()
      await nats.stop()
    }
  })
})

/** A text for each block in a batch, as the bus delivers missed blocks in one batch. */
function entriesOf(events: readonly StreamEvent[]): string[] {
  const entries: string[] = []
  let block: StreamEvent[] = []
  for (const event of events) {
    block.push(event)
    if (event.kind === 'swap') continue
    entries.push(entryOf(block))
    block = []
  }
  return entries
}

/** The slot of an entry; 0 before the first. */
function slotOf(entry = '0:'): number {
  return Number(entry.split(':')[0])
}

const counted = new WeakMap<readonly string[], number>()

/** Number of entries since it last received more than five at once. */
function slotsSince(seen: readonly string[]): number {
  const count = seen.length - (counted.get(seen) ?? 0)
  if (count > 5) counted.set(seen, seen.length)
  return count
}

/** Starts a process that reads the chain and publishes to NATS. */
async function startIngest(url: string, nats: string) {
  const script = await bundleScript(new URL('testing/nats-child.ts', import.meta.url))
  const args = [...QUICK_NODE, script, url.replace('yellowstone+', ''), aFolder({}), nats]
  let state = ''
  let child: ChildProcess
  const start = () => {
    state = ''
    child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      state = text.trimEnd().split('\n').at(-1) ?? state
    })
  }
  start()
  return {
    state: () => state,
    signal: (name: NodeJS.Signals) => void child.kill(name),
    async restart() {
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      start()
    },
  }
}
