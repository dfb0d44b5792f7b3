import { StreamFrame } from '@pairwire/contract'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import WebSocket from 'ws'
import { makeAccount } from './operator.ts'
import { freshEmail } from './people.ts'
import { STORY_MS } from './story-time.ts'

const streamUrl = inject('streamUrl')
const dataFolder = inject('dataFolder')

/** A raw client: sends text, keeps every frame, waits for the first matching one. */
function connect(key: string) {
  const socket = new WebSocket(streamUrl, { headers: { 'x-api-key': key } })
  const frames: Record<string, unknown>[] = []
  const looks = new Set<() => void>()
  socket.on('message', (data) => {
    frames.push(JSON.parse(String(data)))
    for (const look of looks) look()
  })
  const opened = new Promise<void>((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('error', reject)
  })
  return {
    socket,
    frames,
    opened,
    send: (text: string) => socket.send(text),
    until: (wanted: (frame: Record<string, unknown>) => boolean) =>
      new Promise<Record<string, unknown>>((resolve) => {
        const look = () => {
          const found = frames.find(wanted)
          if (!found) return
          looks.delete(look)
          resolve(found)
        }
        looks.add(look)
        look()
      }),
  }
}

describe('the stream of the running service', { timeout: STORY_MS }, () => {
  let key: string
  let client: ReturnType<typeof connect>
  beforeAll(async () => {
    key = (await makeAccount({ dataFolder }, freshEmail(), 'pro')).user.APIKey
    client = connect(key)
    await client.opened
  })
  afterAll(() => client.socket.terminate())

  it('answers the frames of the public Go client unchanged, and says that data is simulated', async () => {
    client.send(
      '{"id":476058,"method":"newPairSubscribe","params":{"include_launchpad_tokens":true,"include_pumpfun":false},"result":null}',
    )
    client.send(
      '{"id":521165,"method":"swapSubscribe","params":{"include":{"AmmAccount":null,"WalletAccount":null,"BaseTokenMint":null,"USDValue":1}},"result":null}',
    )

    const pairs = await client.until(({ id }) => id === 476058)
    const swaps = await client.until(({ id }) => id === 521165)

    expect(pairs).toMatchObject({ result: { subscription_id: 1, simulated: true } })
    expect(swaps).toMatchObject({ result: { subscription_id: 2, simulated: true } })
  })

  it('sends only frames of the contract, each swap within the filter', async () => {
    await client.until(({ method }) => method === 'newPairNotification')
    await client.until(() => client.frames.filter(({ method }) => method === 'swapNotification').length > 100)

    for (const frame of client.frames) {
      const { error } = StreamFrame.safeParse(frame)
      if (error) expect.fail(`${error.message}\n${JSON.stringify(frame)}`)
    }
    const values = client.frames
      .filter(({ method }) => method === 'swapNotification')
      .map(({ params }) => (params as { swap: { usdValue: number | null } }).swap.usdValue)
    expect(values.every((value) => value !== null && value >= 1)).toBe(true)
  })

  it('refuses a second connection on a plan with one, with a sentence', async () => {
    const second = connect(key)

    await expect(second.opened).rejects.toThrow(/429/)
  })

  it('announces blocks as they arrive', async () => {
    client.send('{"method":"latestBlockSubscribe","id":"blocks"}')

    const first = await client.until(({ method }) => method === 'latestBlockNotification')

    expect(first.params).toEqual({ block: expect.any(Number), blockTime: expect.any(Number) })
    expect(first.subscription_id).toBe(3)
  })
})
