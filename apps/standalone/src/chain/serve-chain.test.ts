import { createServer } from 'node:net'
import { type Clock, systemClock } from '@pairwire/basics'
import { decodeBase58, encodeBase58, QUOTE_MINTS } from '@pairwire/contract'
import { readMetadataState, readMintState } from '@pairwire/decoders'
import { MAX_SWAPS_PER_SECOND } from '@pairwire/ingest'
import { address, createSolanaRpc, createSolanaRpcSubscriptions } from '@solana/kit'
import { afterEach, describe, expect, it } from 'vitest'
import { runChainVerb } from './chain-verb.ts'
import { type ServeChainOptions, serveChain } from './serve-chain.ts'

const closing: (() => Promise<unknown> | unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** The official client is a native add-on, which some machines lack. */
const triton = await import('@triton-one/yellowstone-grpc').catch(() => undefined)
const Client = triton?.default as unknown as NonNullable<typeof triton>['default']['default']

/** A clock that runs as fast as it is waited for, until `slots` have passed; then it stops until it is released. */
function createSlotClock(slots: number): Clock & { stopped: Promise<void>; goOn(more: number): void } {
  let now = Date.UTC(2026, 10, 1)
  let left = slots
  let wake = () => {}
  let stand = () => {}
  return {
    ...systemClock,
    stopped: new Promise((resolve) => {
      stand = resolve
    }),
    now: () => now,
    elapsed: () => now,
    async wait(milliseconds, signal) {
      if (left === 0) {
        stand()
        await new Promise<void>((resolve) => {
          wake = resolve
          signal.addEventListener('abort', () => resolve())
        })
      }
      left--
      now += milliseconds
    },
    goOn(more) {
      left = more
      wake()
    },
  }
}

async function setUp(slots: number, options: Partial<ServeChainOptions> = {}) {
  const abort = new AbortController()
  const clock = createSlotClock(slots)
  const { port, ended } = await serveChain({
    host: '127.0.0.1',
    port: 0,
    swapsPerSecond: 50,
    seed: 1,
    faults: [],
    clock,
    signal: abort.signal,
    ...options,
  })
  closing.push(() => {
    abort.abort()
    return ended
  })
  await clock.stopped
  const rpc = createSolanaRpc(`http://127.0.0.1:${port}` as 'http://localhost')
  const head = async () => Number(await rpc.getSlot({ commitment: 'confirmed' }).send())
  return { port, clock, rpc, head }
}

const blockConfig = {
  commitment: 'confirmed',
  encoding: 'json',
  maxSupportedTransactionVersion: 1,
  rewards: false,
  transactionDetails: 'full',
} as const

type ReadBlock = {
  blockTime: bigint
  parentSlot: bigint
  transactions: { transaction: { signatures: string[] } }[]
}

async function readBlock(rpc: ReturnType<typeof createSolanaRpc>, slot: number): Promise<ReadBlock> {
  return (await rpc.getBlock(BigInt(slot), blockConfig as never).send()) as unknown as ReadBlock
}

describe('the stand-in chain', () => {
  it('serves @solana/kit a block every 400 ms, with the time of its slot', async () => {
    const { rpc, head } = await setUp(20)
    const newest = await readBlock(rpc, await head())
    const earlier = await readBlock(rpc, (await head()) - 10)

    expect(newest.transactions.length).toBeGreaterThan(0)
    expect(Number(newest.blockTime - earlier.blockTime)).toBe(4)
  })

  it('has the accounts of every traded token, with its name, and its page and picture on the same port', async () => {
    const { port, rpc, head } = await setUp(12)
    const pages = `http://127.0.0.1:${port}/dev/tokens/`
    const accountOf = async (account: string) => {
      const { value } = await rpc.getAccountInfo(address(account), { encoding: 'base64' }).send()
      return value && { owner: value.owner as string, data: Buffer.from(value.data[0], 'base64') }
    }
    const block = await rpc.getBlock(BigInt(await head()), { maxSupportedTransactionVersion: 0 }).send()
    const balances = block!.transactions.flatMap(({ meta }) => meta?.postTokenBalances ?? [])
    const mints = [...new Set(balances.map(({ mint }) => mint as string))]

    const names = mints
      .filter((mint) => !QUOTE_MINTS.includes(mint))
      .map(async (mint) => {
        const account = await accountOf(mint)
        const state = account && readMintState(decodeBase58(mint)!, account.owner, account.data)
        if (!state || state.supply === 0n) return undefined
        const kept = state.metadataAccount === null ? null : await accountOf(state.metadataAccount)
        const metadata = state.metadata ?? (kept && readMetadataState(kept.owner, kept.data)?.metadata)
        expect(metadata?.uri).toBe(`${pages}${mint}.json`)
        const page = (await (await fetch(metadata!.uri)).json()) as { name: string; image: string }
        const picture = await fetch(page.image)
        expect(page).toMatchObject({ name: metadata!.name, image: `${pages}${mint}.png` })
        expect(picture.headers.get('content-type')).toBe('image/png')
        return metadata?.name
      })

    const found = await Promise.all(names)
    expect(found.length).toBeGreaterThan(3)
    expect(found.every((name) => name !== undefined && /\w/.test(name))).toBe(true)
    // A token that was never created has none.
    expect((await fetch(`${pages}${QUOTE_MINTS[0]}.json`)).ok).toBe(false)
  })

  it('notifies @solana/kit of each slot over the websocket of the same port', async () => {
    const { port, clock, head } = await setUp(5)
    const abort = new AbortController()
    closing.push(() => abort.abort())
    const subscriptions = createSolanaRpcSubscriptions(`ws://127.0.0.1:${port}` as 'ws://localhost')
    const notified = await subscriptions.slotNotifications().subscribe({ abortSignal: abort.signal })
    const before = await head()
    clock.goOn(3)

    const slots: number[] = []
    for await (const { slot } of notified) if (slots.push(Number(slot)) === 3) break
    expect(slots).toEqual([before + 1, before + 2, before + 3])
  })

  it.skipIf(!triton)('streams the transactions of JSON-RPC to @triton-one/yellowstone-grpc', async () => {
    const { port, rpc, head } = await setUp(20)
    const newest = await head()
    const client = new Client(`http://127.0.0.1:${port}`, undefined, undefined)
    await client.connect()
    expect((await client.getVersion()).version).toContain('simulated')

    const stream = await client.subscribe()
    closing.push(() => void stream.destroy())
    const signatures = new Map<string, string>()
    let last = 0
    stream.on('data', ({ transaction, blockMeta }: TritonUpdate) => {
      if (blockMeta) last = Number(blockMeta.slot)
      if (!transaction || Number(transaction.slot) !== newest) return
      signatures.set(transaction.transaction.index, encodeBase58(transaction.transaction.signature))
    })
    stream.on('error', () => {})
    stream.write({ ...everything, fromSlot: String(newest - 3) } as never)
    await expect.poll(() => last, { timeout: 20_000 }).toBe(newest)

    const { transactions } = await readBlock(rpc, newest)
    expect([...signatures].sort(([a], [b]) => Number(a) - Number(b)).map(([, each]) => each)).toEqual(
      transactions.map(({ transaction }) => transaction.signatures[0]),
    )
  })

  it('skips slots on request, and puts their transactions into the next block', async () => {
    const whole = await setUp(30, { swapsPerSecond: 10 })
    const skipping = await setUp(30, { swapsPerSecond: 10, faults: ['skips=0.5'] })
    const read = async ({ rpc, head }: Awaited<ReturnType<typeof setUp>>) => {
      const signatures: string[] = []
      let blocks = 0
      const first = Number(await rpc.getFirstAvailableBlock().send())
      for (let slot = first; slot <= (await head()); slot++) {
        const block = await readBlock(rpc, slot).catch(() => undefined)
        if (!block) continue
        blocks++
        signatures.push(...block.transactions.map(({ transaction }) => transaction.signatures[0]!))
      }
      return { blocks, signatures }
    }

    const all = await read(whole)
    const some = await read(skipping)

    expect(some.blocks).toBeLessThan(all.blocks)
    expect(some.blocks).toBeGreaterThan(0)
    expect(all.signatures.slice(0, some.signatures.length)).toEqual(some.signatures)
  })

  it('keeps no more than its history, however long it runs', async () => {
    const { rpc, head } = await setUp(200, { swapsPerSecond: 1 })
    const first = Number(await rpc.getFirstAvailableBlock().send())

    expect((await head()) - first).toBe(149)
  })

  it('keeps 15 seconds of a busy market', async () => {
    const { rpc, head } = await setUp(50, { swapsPerSecond: 300 })
    const first = Number(await rpc.getFirstAvailableBlock().send())

    expect((await head()) - first).toBeLessThan(45)
  })

  it('lists its faults in its help', async () => {
    const { status, lines } = await run('--help')

    expect(status).toBe(0)
    expect(lines.join(' ')).toMatch(/--fault .*Faults: skips, rivals, .*truncatedLogs\./)
  })

  it.each([
    ['drops', 'a fault is <name>=<value>'],
    ['bogus=1', 'a fault is <name>=<value>'],
    ['drops=2', '--fault drops=2:'],
    ['isDown=perhaps', '--fault isDown=perhaps:'],
  ])('refuses the fault %s with a sentence', async (fault, sentence) => {
    const { status, lines } = await run('--port', '0', '--fault', fault)

    expect(status).toBe(2)
    expect(lines.join('\n')).toContain(sentence)
  })

  it.each([
    ['--port', 'high'],
    ['--swaps', '0'],
    ['--swaps', String(MAX_SWAPS_PER_SECOND + 1)],
    ['--seed', '-1'],
  ])('refuses %s %s and says what it accepts', async (flag, value) => {
    const { status, lines } = await run(`${flag}=${value}`)

    expect(status).toBe(2)
    expect(lines[0]).toMatch(new RegExp(`^${flag} ${value}: must be a whole number from \\d+ to \\d+\\.$`))
  })

  it('says that its port is in use', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    closing.push(() => taken.close())
    await new Promise((resolve) => taken.once('listening', resolve))
    const { port } = taken.address() as { port: number }

    const { status, lines } = await run('--port', String(port))

    expect(status).toBe(1)
    expect(lines).toEqual(['--port: another program is using it.'])
  })
})

type TritonUpdate = {
  transaction?: { slot: string; transaction: { index: string; signature: Uint8Array } }
  blockMeta?: { slot: string }
}

const everything = {
  slots: {},
  transactions: { all: { accountInclude: [], accountExclude: [], accountRequired: [] } },
  blocksMeta: { all: {} },
  accounts: {},
  transactionsStatus: {},
  blocks: {},
  entry: {},
  accountsDataSlice: [],
  commitment: 1,
}

/** Runs the verb to its end. */
async function run(...words: string[]): Promise<{ status: number; lines: string[] }> {
  const abort = new AbortController()
  const lines: string[] = []
  const status = await runChainVerb(words, {
    write: (line) => {
      lines.push(line)
      abort.abort()
    },
    report: (line) => lines.push(line),
    signal: abort.signal,
  })
  return { status, lines }
}
