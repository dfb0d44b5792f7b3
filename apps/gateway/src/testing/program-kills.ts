import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { bundleScript } from '@pairwire/basics/testing/bundle-script'
import { createRandom } from '@pairwire/chain-double'
import { aSwap, createFakeServer } from '@pairwire/client/testing'

/** The outcome of some kills. */
type KillsOutcome = Readonly<{
  kills: number
  /** Events that were finished, and how many of them more than once. */
  finished: number
  again: number
  /** Most repeated events after one kill. */
  mostAgain: number
  problems: readonly string[]
}>

/** Longest life of a program after its first event, and time between two published events, in milliseconds. */
const LIFE_MS = 60
const PUBLISH_EVERY_MS = 1

/**
 * Kills a program with SIGKILL repeatedly while it reads swaps, and compares what it finished with what was published:
 * nothing is skipped, and every repeated event comes after the last saved cursor.
 *
 * @param saveEveryMs interval at which the program saves its cursor; with 0 one event may repeat
 */
export async function killProgram(kills: number, saveEveryMs: number, seed: number): Promise<KillsOutcome> {
  const folder = mkdtempSync(join(tmpdir(), 'pairwire-kills-'))
  const [cursors, log] = [join(folder, 'cursors.json'), join(folder, 'log')]
  const random = createRandom(seed)
  const server = await createFakeServer()
  const published: string[] = [server.push(aSwap())!]
  // It begins after the first event, as every later run begins after a cursor.
  writeFileSync(cursors, JSON.stringify({ swaps: published[0] }))
  const publishing = setInterval(() => published.push(server.push(aSwap())!), PUBLISH_EVERY_MS)
  const counts = { kills: 0, finished: 0, again: 0, mostAgain: 0, problems: [] as string[] }
  const script = await bundleScript(new URL('killed-program.ts', import.meta.url))
  let last = 0
  while (counts.kills < kills && counts.problems.length === 0) {
    const saved = published.indexOf(JSON.parse(readFileSync(cursors, 'utf8')).swaps)
    if (saved > last) counts.problems.push(`Event ${saved} was saved, but ${last} was the last finished one.`)
    writeFileSync(log, '')
    const child = fork(script, [server.url, server.key, cursors, String(saveEveryMs), log])
    await once(child, 'message')
    await wait(random() * LIFE_MS)
    child.kill('SIGKILL')
    await once(child, 'exit')
    counts.kills++

    const lines = readFileSync(log, 'utf8').trimEnd().split('\n').filter(Boolean)
    const got = lines.map((cursor) => published.indexOf(cursor))
    const wrong = got.find((event, at) => event !== saved + 1 + at)
    if (wrong !== undefined) counts.problems.push(`Event ${wrong} came out of order after ${saved}.`)
    const again = got.filter((event) => event <= last).length
    if (saveEveryMs === 0 && again > 1) counts.problems.push(`${again} events were repeated after ${saved}.`)
    counts.finished += got.length
    counts.again += again
    counts.mostAgain = Math.max(counts.mostAgain, again)
    last = Math.max(last, got.at(-1) ?? 0)
  }
  clearInterval(publishing)
  await server.stop()
  rmSync(folder, { recursive: true })
  return counts
}
