import { type ClientRequest, request } from 'node:http'
import { type SwapReader, slotOf } from './swap-reader.ts'

/**
 * A program without the SDK that reads swaps as server-sent events, and comes back as a browser's `EventSource` does: after
 * the wait that it was told, with the last id.
 */
export function readServerSent({
  port,
  key,
  problem,
}: Readonly<{
  /** The port of the gateway to try next. */
  port(): number
  key: string
  problem(sentence: string): void
}>): Pick<SwapReader, 'cursors' | 'gaps' | 'reasons' | 'isOpen' | 'newestSlot' | 'stop'> {
  const cursors: string[] = []
  const gaps: { fromSlot: number; toSlot: number }[] = []
  const reasons: string[] = []
  let asked: ClientRequest
  let retryMs = 1_000
  let lastId: string | undefined
  let isOpen = false
  let retry: NodeJS.Timeout

  const take = (block: string) => {
    const fieldOf = (name: string) =>
      block
        .split('\n')
        .find((line) => line.startsWith(`${name}: `))
        ?.slice(name.length + 2)
    const [wait, id, data] = [fieldOf('retry'), fieldOf('id'), fieldOf('data')]
    if (wait !== undefined) retryMs = Number(wait)
    if (block.startsWith(': alive')) isOpen = true
    lastId = id ?? lastId
    const { method, params, code, reason } = data === undefined ? {} : JSON.parse(data)
    if (method === 'connectionClosed') reasons.push(`${code} ${reason}`)
    if (method === 'gapNotification') gaps.push(params)
    if (method !== 'swapNotification') return
    const before = cursors.at(-1) ?? ''
    if (id! <= before) problem(`${id} came after ${before}.`)
    cursors.push(id!)
  }
  const open = () => {
    const headers = {
      ...{ 'x-api-key': key, accept: 'text/event-stream', 'sec-fetch-mode': 'cors' },
      ...(lastId !== undefined && { 'last-event-id': lastId }),
    }
    const options = { host: '127.0.0.1', port: port(), path: '/v1/stream/swaps', headers, agent: false }
    asked = request(options, (response) => {
      if (response.statusCode !== 200) problem(`It was refused with ${response.statusCode}.`)
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        const blocks = (text + chunk).split('\n\n')
        text = blocks.pop()!
        for (const block of blocks) take(block)
      })
      response.on('error', () => {})
    })
    asked.on('error', () => {})
    asked.on('close', () => {
      isOpen = false
      retry = setTimeout(open, retryMs)
    })
    asked.end()
  }
  open()
  return {
    ...{ cursors, gaps, reasons },
    isOpen: () => isOpen,
    newestSlot: () => slotOf(cursors.at(-1) ?? '0-0'),
    stop() {
      asked.removeAllListeners('close')
      asked.destroy()
      clearTimeout(retry)
    },
  }
}
