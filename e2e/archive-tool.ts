import { createWriteStream, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { readZip } from '../apps/archiver/src/testing/read-files.ts'
import { decodeBase58, HOUR_MS, hourName } from '../packages/contract/src/index.ts'

/**
 * What each release of the existing service's tool `ss-cli` reads about an order and about an hour.
 *
 * @see https://github.com/SolanaStreaming/solanastreaming-cli `cmd/download.go` of both tags
 */
const RELEASES = {
  'v0.0.1': {
    order: { token: 'DownloadToken', from: 'ArchiveDataFrom', to: 'ArchiveDataTo' },
    hour: { swaps: 'swaps', pairs: 'newpairs', size: 'filesize' },
  },
  'v0.0.2': {
    order: { token: 'download_token', from: 'archive_data_from', to: 'archive_data_to' },
    hour: { swaps: 'swaps', pairs: 'pairs', size: 'size' },
  },
} as const
export type Release = keyof typeof RELEASES

/** Milliseconds in which the tool expects an order, and the content of its hours. */
const ANSWER_MS = 2_000

/** Longest line in bytes that its reader accepts. */
const LINE_MAX_BYTES = 64 * 1024

/** Slots that a test's simulation may count; one that begins at 0 would count hundreds of millions. */
const SLOTS_MAX = 1_000_000

type Row = Readonly<{
  slot: number
  pair?: { ammAccount: string; baseToken: { account: string } }
  swap?: { ammAccount: string; baseTokenMint: string; walletAccount: string }
}>

/** The tool's flags for a download; `dieAt` is the file in the middle of which its process is killed, whatever it does. */
export type Download = Readonly<{
  url: string
  release: Release
  key: string
  orderId: number
  folder: string
  atOnce: number
  dieAt?: number
}>

/**
 * `ss-cli download`: requests the order, the content of the hours that the folder lacks, then each of them. It takes any file
 * of the right name for complete.
 *
 * @returns the content of the hours as announced
 * @throws Error with the status and the body of an unexpected answer
 */
export async function download({ url, release, key, orderId, folder, atOnce, dieAt }: Download) {
  mkdirSync(folder, { recursive: true })
  const names = RELEASES[release]
  const there = new Set(zipsOf(folder))
  const headers = { 'X-API-KEY': key }
  const order = await ask(`${url}/order/${orderId}`, { headers })
  const [from, to] = [order[names.order.from], order[names.order.to]].map((time) => Date.parse(time))
  const files: string[] = []
  for (let at = from!; at < to!; at += HOUR_MS) if (!there.has(hourName(at))) files.push(hourName(at))
  if (files.length === 0) return { files, swaps: 0, pairs: 0, size: 0 }

  // Raw bytes have no Content-Type, like the tool's.
  const body = Buffer.from(JSON.stringify({ files }))
  const hours: Record<string, number>[] = await ask(`${url}/archive/metadata`, {
    method: 'POST',
    headers,
    body,
  })
  const sum = (name: string) => hours.reduce((total, hour) => total + hour[name]!, 0)

  const waiting = [...files.entries()]
  const killing = new AbortController()
  const { signal } = killing
  const work = async () => {
    for (let next = waiting.shift(); next && !signal.aborted; next = waiting.shift()) {
      const [at, name] = next
      const answer = await fetch(`${url}/archive/download/${name}?token=${order[names.order.token]}`, {
        signal,
      })
      if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`)
      await save(answer, join(folder, `${name}.zip`), at === dieAt)
      if (at === dieAt) killing.abort(new Error('killed'))
    }
  }
  const ends = await Promise.allSettled(Array.from({ length: atOnce }, work))
  signal.throwIfAborted()
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  const { swaps, pairs, size } = names.hour
  return { files, swaps: sum(swaps), pairs: sum(pairs), size: sum(size) }
}

/**
 * `ss-cli simulate`: the rows of all files in the order of their slots, which it counts one by one from the first event of
 * the first file.
 *
 * @returns the rows that it sends, and the slot at which it ends
 */
export function simulate(folder: string): { sent: Row[]; slot: number } {
  const sent: Row[] = []
  let slot: number | undefined
  for (const name of zipsOf(folder)) {
    const rows = rowsOf(folder, name)
    slot ??= rows[0]?.slot ?? 0
    for (let next = 0, counted = 0; next < rows.length; slot++) {
      for (; next < rows.length && rows[next]!.slot <= slot; next++) sent.push(rows[next]!)
      if (counted++ > SLOTS_MAX) throw new Error(`The simulation counts slots from ${slot - counted} on.`)
    }
  }
  return { sent, slot: slot ?? 0 }
}

/** `ss-cli reduce --wallet`: the rows of these wallets. @throws Error for a row with an invalid account address */
export function reduce(folder: string, wallets: readonly string[]): Row[] {
  return zipsOf(folder)
    .flatMap((name) => rowsOf(folder, name))
    .filter(({ pair, swap }) => {
      const accounts = pair
        ? [pair.ammAccount, pair.baseToken.account]
        : [swap!.ammAccount, swap!.baseTokenMint, swap!.walletAccount]
      const odd = accounts.find((account) => decodeBase58(account)?.length !== 32)
      if (odd !== undefined) throw new Error(`${odd} is no address.`)
      return swap !== undefined && wallets.includes(swap.walletAccount)
    })
}

/** The hours whose zips are in a folder, by name, in order. */
function zipsOf(folder: string): string[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.zip'))
  return names.map((name) => name.slice(0, -'.zip'.length)).sort()
}

async function ask(url: string, init: RequestInit) {
  const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(ANSWER_MS) })
  if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`)
  return answer.json()
}

async function save(answer: Response, path: string, dies: boolean): Promise<void> {
  const body = Readable.fromWeb(answer.body as ReadableStream<Uint8Array>)
  const half = Number(answer.headers.get('content-length')) / 2
  await pipeline(
    body,
    async function* (chunks: AsyncIterable<Buffer>) {
      let passed = 0
      for await (const chunk of chunks) {
        yield dies ? chunk.subarray(0, half - passed) : chunk
        passed += chunk.length
        if (dies && passed >= half) return
      }
    },
    createWriteStream(path),
  )
}

function rowsOf(folder: string, name: string): Row[] {
  const zip = readZip(readFileSync(join(folder, `${name}.zip`)))
  if (zip.name.includes('/')) throw new Error(`${zip.name} is in a folder.`)
  return zip.text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      if (Buffer.byteLength(line) >= LINE_MAX_BYTES) throw new Error('token too long')
      return JSON.parse(line)
    })
}
