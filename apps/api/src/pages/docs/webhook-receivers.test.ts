import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createHmac, randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { freePort } from '@pairwire/basics/testing/free-port'
import { afterEach, describe, expect, inject, it } from 'vitest'

/** The page as people copy from it; its programs hold no placeholder. */
const PAGE = readFileSync(
  fileURLToPath(new URL('../../../../../docs/site/webhooks.md', import.meta.url)),
  'utf8',
)
const SECRET = `whsec_${randomBytes(32).toString('base64')}`

const RECEIVERS = [
  ['receiver.mjs', process.execPath, true],
  ['receiver.py', 'python3', hasPython()],
] as const

function hasPython() {
  try {
    return execFileSync('python3', ['--version']).toString().startsWith('Python 3')
  } catch {
    return false
  }
}

describe.each(RECEIVERS)('the receiver of the docs in %s', (name, command, isHere) => {
  let running: ChildProcess | undefined
  afterEach(() => void running?.kill('SIGKILL'))

  /** Starts it; `lines` are those that it prints. */
  const start = async () => {
    const [, program = ''] = new RegExp(`\`\`\`\\w+ ${name}\\n([\\s\\S]*?)\`\`\``).exec(PAGE) ?? []
    const file = join(mkdtempSync(join(inject('runFolder'), 'receiver-')), name)
    writeFileSync(file, program)
    const port = await freePort()
    running = spawn(command, [file], { env: { ...process.env, WEBHOOK_SECRET: SECRET, PORT: String(port) } })
    const lines: string[] = []
    createInterface({ input: running.stdout! }).on('line', (line) => lines.push(line))
    const post = async (body: string, headers: Record<string, string>) => {
      const { status } = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body, headers })
      return status
    }
    await expect.poll(() => post('', {}).catch(() => 0)).toBe(401)
    return { post, lines }
  }

  it.runIf(isHere)('takes what is signed, each event once, and nothing else', async () => {
    const { post, lines } = await start()
    const now = Math.floor(Date.now() / 1_000)
    const body = (...cursors: string[]) =>
      JSON.stringify({ type: 'swap', data: { events: cursors.map((cursor) => ({ cursor, method: 'é' })) } })
    const gap = JSON.stringify({ type: 'gap', data: { events: [{ method: 'gapNotification' }] } })

    expect(await post(body('a', 'b'), signed(body('a', 'b'), now))).toBe(204)
    expect(await post(body('b', 'c'), signed(body('b', 'c'), now))).toBe(204)
    expect(await post(gap, signed(gap, now))).toBe(204)
    expect(await post(gap, signed(gap, now))).toBe(204)

    const { 'webhook-signature': mine, ...rest } = signed(body('d'), now)
    expect(await post(body('d'), { ...rest, 'webhook-signature': `v1,AAAA ${mine}` })).toBe(204)
    expect(await post(body('e'), signed(body('f'), now))).toBe(401)
    expect(await post(body('e'), signed(body('e'), now - 600))).toBe(401)
    expect(await post(body('e'), rest)).toBe(401)
    expect(await post(body('e'), { ...rest, 'webhook-signature': 'v1,' })).toBe(401)

    await expect.poll(() => lines.length).toBe(6)
    expect(lines.map((line) => /"cursor": ?"(\w)"/.exec(line)?.[1])).toEqual([
      'a',
      'b',
      'c',
      undefined,
      undefined,
      'd',
    ])
  })

  it.runIf(isHere)(
    'prints a sample whose event came before, and an event whose sample came before',
    async () => {
      const { post, lines } = await start()
      const now = Math.floor(Date.now() / 1_000)
      const messages = ['swap a', 'test a', 'test b', 'swap b', 'swap b']

      for (const message of messages) {
        const [type, cursor] = message.split(' ')
        const body = JSON.stringify({ type, data: { events: [{ cursor }] } })
        expect(await post(body, signed(body, now))).toBe(204)
      }

      await expect.poll(() => lines.length).toBe(4)
      expect(lines.map((line) => line.replace(/^(\w+) .*"(\w)".*/, '$1 $2'))).toEqual(messages.slice(0, 4))
    },
  )
})

/** Headers as Standard Webhooks 1.0 has them. */
function signed(body: string, at: number) {
  const id = 'wh_1_7'
  const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': String(at), 'webhook-signature': `v1,${signature}` }
}
