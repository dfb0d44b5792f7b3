import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { bundleScript } from '@pairwire/basics/testing/bundle-script'
import { createRandom } from '@pairwire/chain-double'
import { aSwap, createFakeServer } from '@pairwire/client/testing'

/** What came of some kills. */
type KillsOutcome = Readonly<{
  kills: number
  /** Events that were finished, and those of them that had been before. */
  finished: number
  again: number
  /** Most that came again after one kill. */
  mostAgain: number
  problems: readonly string[]
}>

/** Milliseconds that a program lives at most behind its first event, and between two events that are published. */
const LIFE_MS = 60
const PUBLISH_EVERY_MS = 1

/**
 * Kills a program with SIGKILL again and again while it reads swaps, and holds what it has finished against what was
 * published: nothing is skipped, and what comes again lies behind the place that was saved last.
 *
 * @param saveEveryMs what the program saves its place by; with 0 one event may come again
 */
export async function killProgram(kills: number, saveEveryMs: number, seed: number): Promise<KillsOutcome> {
  const folder = mkdtempSync(join(tmpdir(), 'pairwire-kills-'))
  const [cursors, log] = [join(folder, 'cursors.json'), join(folder, 'log')]
  const random = createRandom(seed)
  const server = await createFakeServer()
  const published: string[] = [server.push(aSwap())!]
  // It begins behind the first, as every later life begins behind a place.
  writeFileSync(cursors, JSON.stringify({ swaps: published[0] }))
  const publishing = setInterval(() => published.push(server.push(aSwap())!), PUBLISH_EVERY_MS)
  const counts = { kills: 0, finished: 0, again: 0, mostAgain: 0, problems: [] as string[] }
  const script = await bundleScript(new URL('killed-program.ts', import.meta.url))
  let last = 0
  while (counts.kills < kills && counts.problems.length === 0) {
    const saved = published.indexOf(JSON.parse(readFileSync(cursors, 'utf8')).swaps)
    if (saved > last) counts.problems.push(`Event ${saved} was saved, and ${last} was finished last.`)
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
    if (wrong !== undefined) counts.problems.push(`Event ${wrong} came out of its turn behind ${saved}.`)
    const again = got.filter((event) => event <= last).length
    if (saveEveryMs === 0 && again > 1) counts.problems.push(`${again} events came again behind ${saved}.`)
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
