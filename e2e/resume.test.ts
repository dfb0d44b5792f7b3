import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import WebSocket from 'ws'
import { makeAccount } from './operator.ts'
import { freshEmail } from './people.ts'
import { type Service, startService } from './service.ts'
import { SOON_MS, STORY_MS } from './story-time.ts'

type Frame = Readonly<{ method?: string; cursor?: string; params?: Record<string, unknown> }>

/** Connects as programs should: on a busy machine a service that starts answers 503 for a moment. */
async function connect({ streamUrl }: Service, key: string): Promise<WebSocket> {
  const socket = new WebSocket(streamUrl, { headers: { 'X-API-KEY': key } })
  await once(socket, 'open')
  return socket
}

/** The blocks and gaps sent to a client, until there are `enough`; it resumes after `cursor` if given. */
async function blocksOf(
  service: Service,
  key: string,
  enough: (frames: readonly Frame[]) => boolean,
  cursor?: string,
): Promise<readonly Frame[]> {
  const socket = await vi.waitFor(() => connect(service, key), { timeout: SOON_MS, interval: 1_000 })
  const frames: Frame[] = []
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject)
      const params = cursor === undefined ? {} : { resume_from: cursor }
      socket.send(JSON.stringify({ id: 1, method: 'latestBlockSubscribe', params }))
      socket.on('message', (data) => {
        const frame = JSON.parse(String(data))
        if (frame.error) reject(new Error(frame.error.message))
        if (frame.method) frames.push(frame)
        if (enough(frames)) resolve()
      })
    })
  } finally {
    socket.terminate()
  }
  return frames
}

// Guards the one promise that no service of this kind gives: a returning client knows what it missed.
it('resumes across a kill -9: kept events are replayed, and lost ones are announced', {
  timeout: STORY_MS,
}, async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'pairwire-e2e-'))
  const first = await startService({}, { dataFolder })
  const { user } = await makeAccount(first, freshEmail(), 'pro')
  const before = await blocksOf(first, user.APIKey, (frames) => frames.length >= 6)
  await first.kill()

  const second = await startService({}, { dataFolder })
  const [seen, ...missed] = before
  const after = await blocksOf(
    second,
    user.APIKey,
    (frames) => frames.some(isGap) && !isGap(frames.at(-1)!),
    seen!.cursor,
  )
  await second.kill()

  const gap = after.findIndex(isGap)
  const kept = after.slice(0, gap).map(({ cursor }) => cursor)
  const { fromSlot, toSlot, cause } = after[gap]!.params as {
    fromSlot: number
    toSlot: number
    cause: string
  }
  expect(cause).toBe('deploy')
  // Each block seen is kept, or lies within the gap.
  for (const { cursor, params } of missed) {
    const block = Number(params!.block)
    expect(kept.includes(cursor) || (block >= fromSlot && block <= toSlot)).toBe(true)
  }
  expect(kept.length).toBeGreaterThan(0)
  expect(after[gap + 1]!.params!.block).toBe(toSlot + 1)
  rmSync(dataFolder, { recursive: true })
})

const isGap = ({ method }: Frame) => method === 'gapNotification'
