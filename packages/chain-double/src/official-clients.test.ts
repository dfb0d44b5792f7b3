import { once } from 'node:events'
import { connect } from 'node:http2'
import { encodeBase58 } from '@pairwire/contract'
import { signature as asSignature, createSolanaRpc, createSolanaRpcSubscriptions } from '@solana/kit'
import { afterEach, describe, expect, it } from 'vitest'
import type { Chain } from './chain.ts'
import { createChain } from './chain.ts'
import { frame } from './grpc-server.ts'
import { serveRpc } from './rpc.ts'
import { aChainTransaction, PROGRAM } from './testing/chain-transactions.ts'
import { serveYellowstone } from './yellowstone.ts'

// Proves that the doubles speak the protocols: the unmodified clients published by the protocols' owners.

const closing: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** The owners' clients are native add-ons, which not every machine has. */
const triton = await import('@triton-one/yellowstone-grpc').catch(() => undefined)
// Its types are for CommonJS, where its class is one `default` deeper than at run time.
const Client = triton?.default as unknown as NonNullable<typeof triton>['default']['default']
const helius = await import('helius-laserstream').catch(() => undefined)

/** The fields of an update that are read here; numbers are strings. */
type Update = {
  transaction?: { slot: string; transaction: { index: string; signature: Uint8Array } }
  blockMeta?: { slot: string; parentBlockhash: string }
  slot?: { slot: string; status: number }
  pong?: object
}

/** Resolves once `test` holds. */
async function eventually(test: () => boolean): Promise<void> {
  const limit = Date.now() + 20_000
  while (!test()) {
    if (Date.now() > limit) throw new Error(`It did not come true: ${test}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

function grow(chain: Chain, blocks: number): void {
  for (let at = 0; at < blocks; at++) {
    const name = String(chain.blocks.length)
    chain.add([aChainTransaction(`${name} a`), aChainTransaction(`${name} b`, 'other')])
  }
}

const request = {
  slots: { all: { filterByCommitment: true } },
  transactions: {
    ours: { vote: false, failed: false, accountInclude: [PROGRAM], accountExclude: [], accountRequired: [] },
  },
  blocksMeta: { all: {} },
  accounts: {},
  transactionsStatus: {},
  blocks: {},
  entry: {},
  accountsDataSlice: [],
  commitment: 1,
}

describe.skipIf(!triton)('@triton-one/yellowstone-grpc', () => {
  it('reads version, slot, blockhash and the range that can be replayed', async () => {
    const chain = createChain({ firstSlot: 1_000 })
    const server = await serveYellowstone({ chain })
    closing.push(server.close)
    grow(chain, 5)
    const client = new Client(`http://localhost:${server.port}`, 'token', undefined)
    await client.connect()

    expect(JSON.parse((await client.getVersion()).version).version.package).toBe('yellowstone-grpc-geyser')
    expect(Number((await client.getSlot()).slot)).toBe(1_004)
    expect((await client.getLatestBlockhash()).blockhash).toBe(chain.head()!.blockhash)
    expect(Number((await client.subscribeReplayInfo()).firstAvailable)).toBe(1_000)
    expect((await client.ping(7)).count).toBe(7)
  })

  it('streams transactions, block metas and slots from an earlier slot on, and answers pings', async () => {
    const chain = createChain({ firstSlot: 1_000 })
    const server = await serveYellowstone({ chain })
    closing.push(server.close)
    grow(chain, 3)
    const client = new Client(`http://localhost:${server.port}`, 'token', undefined)
    await client.connect()
    const stream = await client.subscribe()
    closing.push(() => void stream.destroy())
    const transactions: string[] = []
    const metas: string[] = []
    const slots: string[] = []
    let pongs = 0
    stream.on('data', (update: Update) => {
      if (update.transaction) {
        const { transaction, slot } = update.transaction
        transactions.push(`${slot} ${transaction.index} ${encodeBase58(transaction.signature)}`)
      }
      if (update.blockMeta) metas.push(`${update.blockMeta.slot} ${update.blockMeta.parentBlockhash}`)
      if (update.slot) slots.push(`${update.slot.slot} ${update.slot.status}`)
      if (update.pong) pongs++
    })
    stream.on('error', () => {})
    stream.write({ ...request, fromSlot: '1001' } as never)
    await eventually(() => metas.length >= 2)
    grow(chain, 1)
    await eventually(() => metas.length >= 3)
    stream.write({ ...request, ping: { id: 1 } } as never)
    await eventually(() => pongs > 0)

    const expected = chain.blocks.slice(1)
    expect(transactions).toEqual(
      expected.map(({ slot, transactions }) => `${slot} 0 ${transactions[0]!.transaction.signatures[0]}`),
    )
    expect(metas).toEqual(expected.map(({ slot, parentBlockhash }) => `${slot} ${parentBlockhash}`))
    expect(slots).toEqual(expect.arrayContaining(expected.map(({ slot }) => `${slot} 1`)))
  })

  it('is refused without its token, and when the requested slot is no longer held', async () => {
    const chain = createChain({ firstSlot: 1_000 })
    const server = await serveYellowstone({ chain })
    closing.push(server.close)
    grow(chain, 9)
    server.faults.token = 'right'
    server.faults.history = 2
    const wrong = new Client(`http://localhost:${server.port}`, 'wrong', undefined)
    await wrong.connect()
    await expect(wrong.getVersion()).rejects.toThrow()

    const right = new Client(`http://localhost:${server.port}`, 'right', undefined)
    await right.connect()
    const stream = await right.subscribe()
    const failure = new Promise<Error>((resolve) => stream.on('error', resolve))
    stream.on('data', () => {})
    stream.write({ ...request, fromSlot: '1001' } as never)
    // It does not pass on the server's sentence.
    expect((await failure).message).toBe('subscribe stream receive failed')
  })

  it('reconnects by its own rules, and gets what it missed', async () => {
    const chain = createChain({ firstSlot: 1_000 })
    const server = await serveYellowstone({ chain })
    closing.push(server.close)
    const client = new Client(`http://localhost:${server.port}`, 'token', undefined, {
      enabled: true,
      backoff: { initialIntervalMs: 50, multiplier: 1, maxRetries: 50 },
    })
    await client.connect()
    const stream = await client.subscribe(request as never)
    closing.push(() => void stream.destroy())
    const slots = new Set<number>()
    stream.on('data', ({ transaction }: Update) => transaction && slots.add(Number(transaction.slot)))
    stream.on('error', () => {})
    await eventually(() => server.streams() > 0)
    grow(chain, 4)
    await eventually(() => slots.has(1_003))

    server.drop()
    grow(chain, 3)
    await eventually(() => slots.has(1_006))

    expect([...slots].sort()).toEqual([1_000, 1_001, 1_002, 1_003, 1_004, 1_005, 1_006])
  })
})

describe('a double of Yellowstone', () => {
  it('refuses an unreadable message, and continues', async () => {
    const chain = createChain({ firstSlot: 1_000 })
    const server = await serveYellowstone({ chain })
    closing.push(server.close)
    grow(chain, 1)
    const session = connect(`http://localhost:${server.port}`)
    closing.push(() => session.destroy())
    const statusOf = async (bytes: Buffer) => {
      const call = session.request({ ':method': 'POST', ':path': '/geyser.Geyser/Subscribe' })
      call.write(frame(bytes))
      call.resume()
      const [trailers] = await once(call, 'trailers')
      return trailers['grpc-status']
    }

    expect(await statusOf(Buffer.from([0xff, 0xff, 0xff]))).toBe('3')
    expect(await statusOf(Buffer.from([0xff]))).toBe('3')
  })
})

describe.skipIf(!helius)('helius-laserstream', () => {
  it('streams, and resumes where it was after the connection broke', async () => {
    const chain = createChain({ firstSlot: 1_000 })
    const server = await serveYellowstone({ chain })
    closing.push(server.close)
    const slots: number[] = []
    const handle = await helius!.subscribe(
      { apiKey: 'key', endpoint: `http://localhost:${server.port}`, replay: true },
      request as never,
      (update) => {
        if (update.transaction) slots.push(Number(update.transaction.slot))
      },
      () => {},
    )
    closing.push(() => handle.cancel())
    await eventually(() => server.streams() > 0)
    grow(chain, 3)
    await eventually(() => slots.includes(1_002))

    server.drop()
    grow(chain, 3)
    await eventually(() => slots.includes(1_005))

    expect([...new Set(slots)]).toEqual([1_000, 1_001, 1_002, 1_003, 1_004, 1_005])
  })
})

describe('@solana/kit', () => {
  async function setUp() {
    const chain = createChain({ firstSlot: 1_000 })
    const server = await serveRpc({ chain })
    closing.push(server.close)
    grow(chain, 40)
    const rpc = createSolanaRpc(server.url as 'http://localhost')
    const block = (slot: number, maxSupportedTransactionVersion?: 0 | 1) =>
      rpc
        .getBlock(BigInt(slot), {
          commitment: 'confirmed',
          encoding: 'json',
          rewards: false,
          transactionDetails: 'full',
          ...(maxSupportedTransactionVersion === undefined ? {} : { maxSupportedTransactionVersion }),
        } as never)
        .send() as Promise<unknown>
    return { chain, server, rpc, block }
  }

  it('reads slot, version, blocks and transactions', async () => {
    const { chain, rpc, block } = await setUp()
    const [first] = chain.blocks[3]!.transactions[0]!.transaction.signatures

    expect(await rpc.getSlot({ commitment: 'confirmed' }).send()).toBe(1_039n)
    expect(await rpc.getVersion().send()).toMatchObject({ 'solana-core': expect.any(String) })
    expect(await block(1_003, 1)).toMatchObject({
      blockhash: chain.blocks[3]!.blockhash,
      parentSlot: 1_002n,
      transactions: [{ transaction: { signatures: [first] } }, {}],
    })
    const found = await rpc
      .getTransaction(asSignature(first!), {
        commitment: 'confirmed',
        encoding: 'json',
        maxSupportedTransactionVersion: 0,
      })
      .send()
    expect(found).toMatchObject({ slot: 1_003n })
  })

  it('recognises by its own names the answer for a slot without a block', async () => {
    const { chain, server, block } = await setUp()
    chain.add([], { skipped: 1 })
    chain.add([aChainTransaction('v1')].map((each) => ({ ...each, version: 1 })))
    const codeOf = (slot: number, version?: 0 | 1) =>
      block(slot, version).catch((error) => error.context?.__code)

    expect(await codeOf(1_040, 1)).toBe(-32_004)
    grow(chain, 40)
    expect(await codeOf(1_040, 1)).toBe(-32_007)
    expect(await codeOf(1_042, 0)).toBe(-32_015)
    expect(await codeOf(1_042, 1)).toMatchObject({ transactions: [{ version: 1 }] })
    server.faults.history = 3
    expect(await codeOf(1_001, 1)).toBe(-32_001)
  })

  it('is notified of slots over the websocket', async () => {
    const { chain, server } = await setUp()
    const abort = new AbortController()
    closing.push(() => abort.abort())
    const subscriptions = createSolanaRpcSubscriptions(`ws://localhost:${server.port}` as 'ws://localhost')
    const notifications = await subscriptions.slotNotifications().subscribe({ abortSignal: abort.signal })
    const seen: unknown[] = []
    const reading = (async () => {
      for await (const notification of notifications) {
        seen.push(notification)
        if (seen.length === 2) return
      }
    })()
    await eventually(() => server.subscriptions() > 0)

    grow(chain, 2)
    await reading

    expect(seen).toMatchObject([
      { slot: 1_040n, parent: 1_039n },
      { slot: 1_041n, parent: 1_040n },
    ])
  })

  it('is notified of logs over the websocket, for one program per subscription', async () => {
    const { chain, server } = await setUp()
    const abort = new AbortController()
    closing.push(() => abort.abort())
    const subscriptions = createSolanaRpcSubscriptions(`ws://localhost:${server.port}` as 'ws://localhost')
    const ask = (...mentions: string[]) =>
      subscriptions
        .logsNotifications({ mentions: mentions as never }, { commitment: 'confirmed' })
        .subscribe({ abortSignal: abort.signal })
    const notifications = await ask(PROGRAM)
    const first = (async () => {
      for await (const notification of notifications) return notification
      return undefined
    })()
    await expect(ask(PROGRAM, PROGRAM)).rejects.toThrow('Only 1 address supported')
    server.faults.maxSubscriptions = server.subscriptions()
    await expect(ask(encodeBase58(new Uint8Array(32).fill(9)))).rejects.toThrow('subscription limit reached')

    server.faults.truncatedLogs = 1
    grow(chain, 1)

    expect(await first).toEqual({
      context: { slot: 1_040n },
      value: {
        err: null,
        logs: ['Log truncated'],
        signature: chain.head()!.transactions[0]!.transaction.signatures[0],
      },
    })
  })

  it('reads accounts known from the chain’s transactions, and block times', async () => {
    const { chain, rpc } = await setUp()
    const mint = encodeBase58(new Uint8Array(32).fill(8)) as never
    const plain = aChainTransaction('balance')
    const balance = { accountIndex: 0, mint, uiTokenAmount: { amount: '1', decimals: 4 } }
    chain.add([{ ...plain, meta: { ...plain.meta, postTokenBalances: [balance] } }])
    const nobody = encodeBase58(new Uint8Array(32).fill(9)) as never

    const { value } = await rpc.getMultipleAccounts([mint, nobody], { encoding: 'base64' }).send()
    expect(value).toMatchObject([{ owner: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', space: 82n }, null])
    expect(Buffer.from(value[0]!.data[0], 'base64')[44]).toBe(4)
    expect(await rpc.getAccountInfo(nobody, { encoding: 'base64' }).send()).toMatchObject({ value: null })
    expect(await rpc.getBlockTime(1_040n).send()).toBe(BigInt(chain.head()!.blockTime))
  })
})
