import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { bundleScript } from '@pairwire/basics/testing/bundle-script'
import { inCi } from '@pairwire/basics/testing/in-ci'
import { QUICK_NODE } from '@pairwire/basics/testing/quick-node'
import { createInProcessBus, openEventStore } from '@pairwire/bus'
import { createChain, createRandom, serveYellowstone } from '@pairwire/chain-double'
import type { StreamEvent } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { entryOf, eventually, someTransactions } from '../../testing/live-chain.ts'
import { silentLog } from '../../testing/silent-log.ts'
import { aFolder } from '../../testing/temporary-folder.ts'
import { judge, torture } from '../../testing/torture.ts'

/** `npm run torture` plays a thousand, each twenty times as long. */
const SCHEDULES = inCi(8, 2)
const EVENTS = 500
const AT_ONCE = 8
const KILLS = inCi(4, 1)

describe('the live chain under faults', () => {
  // Guards the promise of the stream: complete, in order, each event once, and gaps reported.
  it(`equals the chain, or reports gaps where it does not, in ${SCHEDULES} random schedules`, {
    timeout: 300_000,
  }, async () => {
    const problems: string[] = []
    let events = 0
    let seed = 1
    const work = async () => {
      while (seed <= SCHEDULES) {
        const outcome = await torture(seed++, EVENTS)
        events += outcome.events
        for (const problem of outcome.problems) problems.push(`seed ${outcome.seed}: ${problem}`)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))

    expect(problems).toEqual([])
    expect(events).toBeGreaterThanOrEqual(SCHEDULES * EVENTS)
  })

  it('loses nothing of the stream, nor of what is kept for resuming, when the process is killed at any moment', {
    timeout: 120_000,
  }, async () => {
    const chain = createChain({ firstSlot: 1_000 })
    const server = await serveYellowstone({ chain })
    server.faults.history = 100_000
    const folder = aFolder({})
    const random = createRandom(11)
    const lives: string[][] = []
    let child = await start(server.url, folder, lives)
    try {
      for (let kill = 0; kill <= KILLS; kill++) {
        await eventually(() => server.streams() > 0)
        const until = chain.blocks.length + 10 + Math.floor(random() * 30)
        while (chain.blocks.length < until) {
          chain.add(someTransactions(String(chain.blocks.length), 3), { skipped: random() < 0.2 ? 2 : 0 })
          await new Promise((resolve) => setTimeout(resolve, random() * 5))
        }
        if (kill === KILLS) break
        // A service that never stored anything begins at the chain's current slot.
        await eventually(() => existsSync(join(folder, 'chain.json')))
        child.kill('SIGKILL')
        await once(child, 'exit')
        await eventually(() => server.streams() === 0)
        child = await start(server.url, folder, lives)
      }
      const last = chain.head()!.slot
      await eventually(() => lives.at(-1)!.some((entry) => entry.startsWith(`${last}:`)))

      const outcome = judge(0, chain, lives, last)
      expect(outcome.problems).toEqual([])
      expect(outcome.gaps).toBe(0)
      expect(lives).toHaveLength(KILLS + 1)

      child.kill('SIGTERM')
      await once(child, 'exit')
      const kept = judge(0, chain, [await entriesKept(folder)], last)
      expect(kept).toMatchObject({ problems: [], gaps: 0 })
    } finally {
      child.kill('SIGKILL')
      await server.close()
    }
  })
})

/** Everything that killed processes kept for resuming, a text for each block. */
async function entriesKept(folder: string): Promise<string[]> {
  const store = await openEventStore({
    folder: join(folder, 'stream'),
    source: 'chain',
    retention: { milliseconds: 86_400_000, bytes: 1_000_000 },
    now: Date.now,
    log: silentLog,
  })
  const bus = createInProcessBus({ maxBytes: 1, store })
  const entries: string[] = []
  let block: StreamEvent[] = []
  for await (const events of bus.replay((await bus.oldestCursor())!)) {
    for (const event of events) {
      block.push(event)
      if (event.kind === 'swap') continue
      entries.push(entryOf(block))
      block = []
    }
  }
  await bus.close()
  // The first block lacks the event of the cursor.
  return entries.slice(1)
}

/** Starts a process that reads the chain; its output lines are the newest of `lives`. */
async function start(url: string, folder: string, lives: string[][]): Promise<ChildProcess> {
  const script = await bundleScript(new URL('../../testing/chain-child.ts', import.meta.url))
  const lines: string[] = []
  lives.push(lines)
  const args = [...QUICK_NODE, script, url.replace('yellowstone+', ''), folder]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let rest = ''
  child.stdout!.on('data', (chunk) => {
    const parts = (rest + chunk).split('\n')
    rest = parts.pop()!
    lines.push(...parts)
  })
  return child
}
