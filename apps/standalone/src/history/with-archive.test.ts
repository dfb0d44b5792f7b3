import { join } from 'node:path'
import { createInProcessBus, openEventStore } from '@pairwire/bus'
import { HOUR_MS } from '@pairwire/contract'
import { openPast } from '@pairwire/ingest'
import { expect, it } from 'vitest'
import { runAuditVerb } from '../audit-verb.ts'
import { anEndpoint, NOW, setUpVerbs, time } from '../testing/hours-verbs.ts'

const retention = { milliseconds: 86_400_000, bytes: 10_000_000 }
const log = { info() {}, warn() {}, error() {} }

it('has an audit read from the archive what the stream no longer keeps, where all of it is there', async () => {
  const { url } = await anEndpoint()
  const { backfill, archive, dataFolder, folder } = await setUpVerbs()
  await backfill('--from', time(6), '--to', time(4), '--source', url)
  const store = await openEventStore({
    ...{ folder: join(dataFolder, 'stream'), source: 'chain', retention, now: Date.now, log },
  })
  const bus = createInProcessBus({ maxBytes: 1, store })
  const past = openPast('', { tokens: [], rpcUrl: url, tokenPages: undefined, log })
  const slots: number[] = []
  for await (const batch of past.events(NOW - 4 * HOUR_MS, NOW - 3 * HOUR_MS, new AbortController().signal)) {
    slots.push(...batch.map((event) => Number(event.cursor.slice(10, 22))))
    await bus.publish(batch)
  }
  await bus.close()
  const [older, newer] = await archive.list('chain', 0, NOW)
  const audit = async (fromSlot: number, archivePlace: { kind: 'folder'; folder: string } | undefined) => {
    const reported: string[] = []
    const isRight = await runAuditVerb(
      ['--from-slot', `${fromSlot}`, '--to-slot', `${slots[50]}`, '--source', url],
      {
        config: {
          ...{ archivePlace, dataFolder, natsUrl: undefined, retention },
          ...{ solanaSource: 'simulator', solanaSourceTokens: [], solanaRpcUrl: undefined },
        },
        write: (line) => void reported.push(line),
        report: (line) => void reported.push(line),
        signal: new AbortController().signal,
      },
    )
    return { isRight, last: reported.at(-1) }
  }
  const from = older!.slots!.first + 5
  const blocks = slots[50]! - from + 1

  await expect(audit(from, undefined)).rejects.toThrow(/^--from-slot: events of slot \d+ are not kept/)
  expect(await audit(from, { kind: 'folder', folder })).toEqual({
    isRight: true,
    last: `${blocks} events of ${blocks} blocks were compared. All of them were published as the chain has them.`,
  })
  await archive.remove(newer!)
  await expect(audit(from, { kind: 'folder', folder })).rejects.toThrow(/are not kept, or no longer/)
}, 60_000)
