import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import WebSocket from 'ws'
import { makeAccount } from './operator.ts'
import { freshEmail } from './people.ts'
import { root, type Service, startService } from './service.ts'
import { STORY_MS } from './story-time.ts'

/** A token created on a launchpad's curve, and its migration to a pool in a later transaction. */
const CREATION = 'packages/decoders/src/programs/meteora-dbc/fixtures/create-and-buy.json'
const MIGRATION = 'packages/decoders/src/programs/meteora-damm-v2/fixtures/migration.json'
const MINT = '4TbzgXkYTXm64WV1M4QwA2Aag8mkfDEqsFZDup4YTqBf'

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pairwire-e2e-'))
  folders.push(folder)
  return folder
}

/** A recording of one transaction, which restarts at its end. */
function recordingOf(fixture: string): string {
  const folder = freshFolder()
  const { transaction } = JSON.parse(readFileSync(join(root, fixture), 'utf8'))
  writeFileSync(join(folder, 'transaction.json'), JSON.stringify(transaction))
  return `replay:${folder}`
}

/** The next new pair that the service streams. */
async function nextPair(service: Service): Promise<Record<string, unknown>> {
  const { user } = await makeAccount(service, freshEmail(), 'pro')
  const socket = new WebSocket(service.streamUrl, { headers: { 'X-API-KEY': user.APIKey } })
  try {
    return await new Promise((resolve, reject) => {
      socket.once('error', reject)
      socket.once('open', () => socket.send('{"id":1,"method":"newPairSubscribe"}'))
      socket.on('message', (data) => {
        const frame = JSON.parse(String(data))
        if (frame.method === 'newPairNotification') resolve(frame.params.pair)
      })
    })
  } finally {
    socket.close()
  }
}

describe('the service’s memory of tokens', { timeout: STORY_MS }, () => {
  // Guards existing programs, which throw on a pair whose token is not described.
  it('survives a kill -9: a pool that opens after it describes the token created before', async () => {
    const dataFolder = freshFolder()
    const first = await startService({ SOLANA_SOURCE: recordingOf(CREATION) }, { dataFolder })
    const file = join(dataFolder, 'tokens/000001.log')
    await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8')).toContain(MINT)
    await first.kill()

    const second = await startService({ SOLANA_SOURCE: recordingOf(MIGRATION) }, { dataFolder })
    const pair = await nextPair(second)
    await second.kill()

    expect(pair).toMatchObject({
      sourceExchange: 'meteora_damm_v2',
      migration: 'meteora_dbc',
      baseToken: {
        account: MINT,
        info: { decimals: 6, supply: '1000000000000000', metadata: { name: 'Exec Alpha' } },
      },
    })
  })
})
