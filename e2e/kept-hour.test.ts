import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { expect, it, onTestFinished } from 'vitest'
import { Archiver } from '../apps/archiver/src/index.ts'
import { aFullHour, aStreamBlock, ONE_O_CLOCK } from '../apps/archiver/src/testing/a-stream.ts'
import { readRows, readZip } from '../apps/archiver/src/testing/read-files.ts'
import type { Frame } from '../apps/gateway/src/testing/test-client.ts'
import { openGateway } from '../apps/gateway/src/testing/test-gateway.ts'
import { createArchive, openFolderStorage } from '../packages/archive/src/index.ts'
import { createManualClock } from '../packages/basics/src/testing/manual-clock.ts'
import { fileOf, type HourFileKind } from '../packages/contract/src/index.ts'

/** Members of a swap that Parquet stores as 64-bit integers, if they fit. */
const AMOUNTS = ['baseAmount', 'quoteAmount', 'quoteTokenLiquidity'] as const

// Guards the promise under which history is sold: exactly what was streamed, no more and no less.
it('an archived hour is what a client without a filter received, and the stream continues after it without a gap', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pairwire-kept-hour-'))
  const stream = await openGateway({ busMaxBytes: 10_000_000 })
  const archive = createArchive(await openFolderStorage(join(folder, 'archive')), createManualClock())
  const archiver = new Archiver({
    ...{ bus: stream.bus, archive, source: 'chain', folder: join(folder, 'archiver') },
    ...{ clock: createManualClock(), freeBytes: () => undefined },
    log: {
      info() {},
      warn: (sentence) => expect.unreachable(sentence),
      error: (sentence) => expect.unreachable(sentence),
    },
  })
  onTestFinished(async () => {
    await stream.close()
    rmSync(folder, { recursive: true })
  })
  const listen = async (account: number, resume_from?: string) => {
    const client = await stream.connect(account)
    const params = resume_from === undefined ? {} : { resume_from }
    for (const method of ['swapSubscribe', 'latestBlockSubscribe', 'newPairSubscribe']) {
      const pairs = method === 'newPairSubscribe' ? { include_pumpfun: true } : {}
      await client.ask({ id: method, method, params: { ...params, ...pairs } })
    }
    return async () => {
      await client.untilPong()
      return client.texts.map((text): Frame => JSON.parse(text)).filter(({ params }) => params)
    }
  }

  const received = await listen(1)
  const [first, ...hour] = aFullHour()
  const later = [14, 15].map((slot) =>
    aStreamBlock(slot, { blockTime: ONE_O_CLOCK + 3_590 + slot, pairs: ['z'] }),
  )
  for (const block of [first!, ...hour, ...later]) await stream.publish(...block)
  archiver.start()
  await archiver.settled()
  await archiver.stop()

  const manifest = (await archive.find('chain', '20261123-130000'))!
  const path = (kind: HourFileKind) => join(folder, 'archive/chain/2026-11', fileOf(manifest, kind).name)
  const frames = await received()
  const events = frames.filter(({ params }) => params.swap || params.pair)
  const isWithin = ({ cursor }: Frame) =>
    cursor >= manifest.cursors!.first && cursor <= manifest.cursors!.last
  const lines: Frame[] = readZip(path('zip'))
    .text.split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
  const streamed = events.filter(
    ({ cursor }) => lines[0].cursor <= cursor && cursor <= manifest.cursors!.last,
  )
  expect(lines.map(({ receivedAt: _, ...line }) => line)).toEqual(
    streamed.map(({ cursor, params }) => ({ ...params, cursor })),
  )
  expect(manifest.counts).toMatchObject({
    swaps: streamed.filter(({ params }) => params.swap).length,
    pairs: streamed.filter(({ params }) => params.pair).length,
    blocks: frames.filter((frame) => frame.method === 'latestBlockNotification' && isWithin(frame)).length,
    nulls: 3,
  })
  const gaps = frames.filter(({ method }) => method === 'gapNotification')
  expect(gaps).toHaveLength(3) // one for each subscription
  for (const { params } of gaps) {
    expect(manifest.gaps).toEqual([{ fromSlot: params.fromSlot, toSlot: params.toSlot, cause: params.cause }])
  }

  const swaps = streamed.flatMap(({ cursor, params: { swap, ...place } }) =>
    swap ? [{ cursor, ...place, ...swap }] : [],
  )
  for (const read of [readRows, readByDuckDb]) {
    expect((await read(path('swaps'))).map(plain)).toEqual(swaps.map(asColumns))
    expect((await read(path('pairs'))).map(({ cursor }) => cursor)).toEqual(
      streamed.filter(({ params }) => params.pair).map(({ cursor }) => cursor),
    )
  }

  const resumed = await listen(2, manifest.cursors!.last)
  await stream.clock.pass(100)
  const behind = (await resumed()).filter(({ params }) => params.swap || params.pair)
  expect([...lines, ...behind].map(({ cursor }) => cursor)).toEqual(
    events.filter(({ cursor }) => cursor >= lines[0].cursor).map(({ cursor }) => cursor),
  )
})

/** A swap of the stream in the form of a row: integers within 64 bits; empty or larger ones are null. */
function asColumns({ launchpad = null, ...swap }: Frame): object {
  const amounts = AMOUNTS.map((name) => {
    const isThere = swap[name] !== '' && BigInt(swap[name]) < 2n ** 64n
    return [name, isThere ? swap[name] : null]
  })
  return { ...swap, launchpad, quotePrice: Number(swap.quotePrice), ...Object.fromEntries(amounts) }
}

/** A row without its time of receipt, with its integers written as on the stream. */
function plain({ receivedAt: _, slot, blockTime, ...row }: Record<string, unknown>): object {
  const texts = Object.entries(row).map(([name, value]) => [
    name,
    typeof value === 'bigint' ? String(value) : value,
  ])
  return { ...Object.fromEntries(texts), slot: Number(slot), blockTime: Number(blockTime) }
}

async function readByDuckDb(path: string): Promise<Record<string, unknown>[]> {
  const connection = await (await DuckDBInstance.create()).connect()
  const rows = (await connection.runAndReadAll(`SELECT * FROM '${path}'`)).getRowObjects()
  connection.closeSync()
  return rows
}
