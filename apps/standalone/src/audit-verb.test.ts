import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openNatsBus, readNatsAddress } from '@pairwire/bus/nats'
import { type NatsServer, startNatsServer, whyNoNatsServer } from '@pairwire/bus/testing/nats-server'
import { createChain, type Rpc, serveRpc } from '@pairwire/chain-double'
import { formatCursor, LAST_PLACE, type StreamEvent } from '@pairwire/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runAuditVerb } from './audit-verb.ts'

const retention = { milliseconds: 3_600_000, bytes: 10_000_000 }
const config = {
  ...{ dataFolder: join(tmpdir(), 'pairwire-nowhere'), natsUrl: undefined as string | undefined, retention },
  ...{ solanaSource: 'simulator', solanaSourceTokens: [], solanaRpcUrl: undefined },
  archivePlace: undefined,
}

async function audit(words: string[], more: Partial<typeof config> = {}) {
  const [written, reported]: string[][] = [[], []]
  const isRight = await runAuditVerb(words, {
    config: { ...config, ...more },
    write: (line) => written!.push(line),
    report: (line) => reported!.push(line),
    signal: new AbortController().signal,
  })
  return { isRight, written, reported: reported!.join('\n') }
}

describe('pairwire audit', () => {
  it('says where several processes keep events, if a folder has none', async () => {
    const words = ['--from-slot', '1', '--to-slot', '2', '--source', 'http://127.0.0.1:9']

    await expect(audit(words)).rejects.toThrow(/^DATA_DIR: no service has kept events in .* set NATS_URL/)
  })

  describe.skipIf(whyNoNatsServer() !== undefined)('with NATS_URL', () => {
    let server: NatsServer
    let rpc: Rpc
    beforeAll(async () => {
      server = await startNatsServer()
    })
    afterAll(() => Promise.all([server?.stop(), rpc?.close()]))

    it('compares the chain with the events that several processes keep there, and changes nothing', async () => {
      const chain = createChain({ slotMs: 400 })
      for (let at = 0; at < 20; at++) chain.add([])
      rpc = await serveRpc({ chain })
      rpc.faults.history = 20
      const slots = chain.blocks.map(({ slot }) => slot)
      const words = ['--from-slot', `${slots[2]}`, '--to-slot', `${slots[17]}`, '--source', rpc.url]
      const dataFolder = mkdtempSync(join(tmpdir(), 'pairwire-audit-'))
      const natsUrl = server.url
      await expect(audit(words, { natsUrl, dataFolder })).rejects.toThrow(
        'No events of a live chain are kept',
      )

      const ingest = await openNatsBus({
        ...{ address: readNatsAddress(natsUrl), source: 'chain', retention, maxBytes: 1, takeOverMs: 0 },
        log: { info() {}, warn() {} },
      })
      for (const { slot, blockTime } of chain.blocks) {
        // One that was not published, and one with other content.
        if (slot === slots[5]) continue
        const event: StreamEvent = {
          kind: 'latestBlock',
          cursor: formatCursor({ run: 0, slot, ...LAST_PLACE }),
          params: { block: slot, blockTime: slot === slots[9] ? blockTime + 1 : blockTime },
        }
        await ingest.publish([event], `${slot}:hash`)
      }
      await ingest.close()

      const { isRight, written, reported } = await audit(words, { natsUrl, dataFolder })

      expect(written).toEqual([
        `missing chain latestBlock slot ${slots[5]} -`,
        `different chain latestBlock slot ${slots[9]} - blockTime`,
      ])
      expect(reported).toContain('16 events of 16 blocks were compared. 2 are at fault.')
      expect(isRight).toBe(false)
    })
  })
})
