import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { bundleScript } from '@pairwire/basics/testing/bundle-script'
import { QUICK_NODE } from '@pairwire/basics/testing/quick-node'
import { formatCursor, LAST_PLACE, type StreamEvent } from '@pairwire/contract'
import { createInProcessBus } from '../in-process.ts'
import { aStore } from './a-store.ts'

/** The outcome of some kills. */
type KillOutcome = Readonly<{
  kills: number
  /** The newest slot that a process reported as kept, and the newest one found. */
  said: number
  kept: number
  /** The problems, each as a sentence; empty if all is well. */
  problems: readonly string[]
}>

/** The events of a slot, reproducible from its number: none, some, or several records of them. */
export function aBatch(slot: number, seed: number): readonly StreamEvent[] {
  const count = (slot * 2_654_435_761 + seed) % 7 === 0 ? 700 : (slot + seed) % 40
  const events: StreamEvent[] = Array.from({ length: count }, (_, at) => ({
    kind: 'latestBlock',
    cursor: formatCursor({ run: 0, slot, transactionIndex: at, eventIndex: 0 }),
    params: { block: slot, blockTime: at },
  }))
  events.push({
    kind: 'latestBlock',
    cursor: formatCursor({ run: 0, slot, ...LAST_PLACE }),
    params: { block: slot, blockTime: 0 },
  })
  return events
}

/** Kills after which the next store begins: after each, everything kept is read again, which takes longer every time. */
const KILLS_OF_ONE = 50

/**
 * Repeatedly lets a process publish and kills it at a random moment; each continues after what the previous one kept.
 * After each kill it compares what is kept with what was published.
 */
export async function tortureStore(
  folder: string,
  kills: number,
  random: () => number,
): Promise<KillOutcome> {
  const problems: string[] = []
  const seed = Math.floor(random() * 1_000)
  let said = 0
  let kept = 0
  for (let kill = 1; kill <= kills; kill++) {
    if (kill % KILLS_OF_ONE === 1) said = 0
    const own = join(folder, String(Math.ceil(kill / KILLS_OF_ONE)))
    said = Math.max(said, await runAndKill(own, seed, random))
    const found = await slotsKept(own, seed, problems)
    if (found < said)
      problems.push(`Kill ${kill}: slot ${said} was reported as kept, but ${found} is the newest.`)
    kept = found
  }
  return { kills, said, kept, problems }
}

const CHILD = new URL('store-child.ts', import.meta.url)

/** @returns the newest slot that the process reported as kept */
async function runAndKill(folder: string, seed: number, random: () => number): Promise<number> {
  const child = spawn(process.execPath, [...QUICK_NODE, await bundleScript(CHILD), folder, String(seed)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text
  })
  await once(child.stdout, 'data')
  await new Promise((resolve) => setTimeout(resolve, random() * 150))
  child.kill('SIGKILL')
  await once(child, 'close')
  return Number(output.trimEnd().split('\n').at(-1))
}

/** Reads everything kept, which must be every slot in order, each whole. @returns the newest slot */
async function slotsKept(folder: string, seed: number, problems: string[]): Promise<number> {
  const store = await aStore({ folder })
  const bus = createInProcessBus({ maxBytes: 1, store })
  const oldest = await bus.oldestCursor()
  const newest = await bus.newestCursor()
  let slot = oldest === undefined ? 0 : Number(oldest.split('-')[1])
  let expected = oldest === undefined ? [] : aBatch(slot, seed).slice(1)
  for await (const events of bus.replay(oldest ?? '')) {
    for (const event of events) {
      while (expected.length === 0) expected = [...aBatch(++slot, seed)]
      const due = expected.shift()!
      if (event.cursor === due.cursor) continue
      problems.push(`${event.kind} ${event.cursor} was found where ${due.cursor} was published.`)
      await bus.close()
      return slot
    }
  }
  await bus.close()
  if (expected.length > 0) problems.push(`Slot ${slot} is not whole.`)
  if (newest !== formatCursor({ run: 0, slot, ...LAST_PLACE }))
    problems.push(`The newest is reported as ${newest}.`)
  return slot
}
