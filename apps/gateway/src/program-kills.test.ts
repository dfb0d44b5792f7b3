import { fork } from 'node:child_process'
import { once } from 'node:events'
import { bundleScript } from '@pairwire/basics/testing/bundle-script'
import { aSwap, createFakeServer } from '@pairwire/client/testing'
import { describe, expect, it } from 'vitest'
import { killProgram } from './testing/program-kills.ts'

// Guards a program's position across its own end: `npm run torture -- --sdk` kills it a hundred times.
describe('a killed program resumes where it was', () => {
  it('skipping nothing, and repeating only what it finished since the last save', async () => {
    const { problems, ...counts } = await killProgram(10, 20, 1)

    expect(problems).toEqual([])
    expect(counts).toMatchObject({ kills: 10, again: expect.toSatisfy((again: number) => again > 0) })
  })

  it('repeating at most one event, when each cursor is saved before the next event', async () => {
    const { problems, mostAgain, finished } = await killProgram(10, 0, 2)

    expect(problems).toEqual([])
    expect(mostAgain).toBeLessThanOrEqual(1)
    expect(finished).toBeGreaterThan(10)
  })
})

it('a program stays alive while its connection is open, and exits when its last stream has ended', async () => {
  const server = await createFakeServer()
  const script = await bundleScript(new URL('testing/ending-program.ts', import.meta.url))
  const program = fork(script, [server.url, server.key])
  while (server.received.length < 2) await new Promise((resolve) => setTimeout(resolve, 5))
  expect(program.exitCode).toBeNull()

  server.push(aSwap())
  const [code] = await once(program, 'exit')
  await server.stop()

  expect(code).toBe(0)
})
