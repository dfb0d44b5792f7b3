import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createManualClock, type ManualClock } from '@pairwire/basics/testing/manual-clock'
import { createInProcessBus } from '@pairwire/bus'
import { type ChainTransaction, toChainTransaction } from '@pairwire/chain-double'
import { createGateway } from '@pairwire/gateway'
import { createIngest, createSimulator, openSource } from '@pairwire/ingest'
import { onTestFinished } from 'vitest'
import WebSocket from 'ws'

/** A frame as a test reads it. */
// biome-ignore lint/suspicious/noExplicitAny: a test asserts the form of what it reads
export type Frame = any

/** The street from an endpoint of the live chain to a websocket client, with a clock that the test moves. */
export type LiveStreet = Readonly<{
  /** Sentences of the log, in order. */
  logged: readonly string[]
  /** Frames of the client that belong to a subscription, and their texts. */
  frames: readonly Frame[]
  texts: readonly string[]
  /** Frames of a client that wants the same ahead of confirmation, if there is one. */
  early: readonly Frame[]
  /** The state of the source, as reported to the status page. */
  status(): ReturnType<ReturnType<typeof createIngest>['stats']>
  /** Advances the clock in steps, and lets sockets work between them. `each` is called before every step. */
  pass(milliseconds: number, stepMs?: number, each?: () => void): Promise<void>
  /** The same until `test` holds; fails after a time that no sound run needs. */
  until(test: () => boolean): Promise<void>
}>

/** Milliseconds per step of the clock; a client's pings come no faster than it may send. */
const STEP_MS = 100

/** More turns of the loop than ingest leaves to the gateway after a block. */
const TURNS_TO_COUNT = 6

/** Milliseconds of real time that a test waits for an event. */
const LIMIT_MS = 30_000

/**
 * Starts the street with a value of `SOLANA_SOURCE`, with one client that subscribes to blocks and swaps, and with `isEarly`
 * another one that does so at commitment processed.
 */
export async function openLiveStreet(
  setting: string,
  {
    clock,
    tokens = [],
    isEarly = false,
  }: { clock: ManualClock; tokens?: readonly string[]; isEarly?: boolean },
): Promise<LiveStreet> {
  const logged: string[] = []
  const keep = (sentence: string) => void logged.push(sentence)
  const log = { info: keep, warn: keep, error: keep }
  const dataFolder = mkdtempSync(join(tmpdir(), 'pairwire-street-'))

  const bus = createInProcessBus({ maxBytes: 16 * 1024 * 1024 })
  const source = openSource(setting, {
    ...{ clock, log, dataFolder, tokens, loopByDefault: false },
    nextRun: async () => 1,
  })
  const ingest = createIngest({ source, bus, clock, log })
  const gateway = createGateway({
    ...{
      bus,
      clock,
      log,
      source: 'chain',
      servesEarly: true,
      docsUrl: '',
      supportEmail: 'support@pairwire.example',
      clientAddress: () => '127.0.0.1',
    },
    accounts: anyKey(clock),
  })
  const server = createServer().on('upgrade', gateway.handleUpgrade).listen(0, '127.0.0.1')
  await once(server, 'listening')

  const { port } = server.address() as AddressInfo // it listens on a port
  const client = new WebSocket(`ws://127.0.0.1:${port}/?key=${'0'.repeat(32)}`)
  const frames: Frame[] = []
  const texts: string[] = []
  const answers: Frame[] = []
  let closed: string | undefined
  client.on('message', (data) => {
    const frame: Frame = JSON.parse(String(data))
    if (frame.method && frame.id === undefined) {
      frames.push(frame)
      texts.push(String(data))
    } else answers.push(frame)
  })
  client.on('close', (code) => {
    closed = `The stream was closed with ${code}.`
  })
  await once(client, 'open')

  /** A round trip to the gateway: everything on its way before it has then arrived. */
  const goRound = async () => {
    const before = answers.length
    client.send('{"id":"round","method":"ping"}')
    const limit = Date.now() + LIMIT_MS
    while (answers.length === before) {
      if (closed) throw new Error(closed)
      if (Date.now() > limit) throw new Error('The gateway does not answer.')
      // Published events leave at the end of their window.
      clock.advance(1)
      await new Promise((resolve) => setImmediate(resolve))
    }
    // Ingest counts a block some turns after publishing it, and then continues.
    for (let turn = 0; turn < TURNS_TO_COUNT; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
  const step = async (milliseconds: number) => {
    clock.advance(milliseconds)
    await goRound()
  }

  for (const method of ['latestBlockSubscribe', 'swapSubscribe']) {
    client.send(JSON.stringify({ id: method, method }))
    await goRound()
  }
  const early: Frame[] = []
  const other = isEarly ? new WebSocket(`ws://127.0.0.1:${port}/?key=${'1'.repeat(32)}`) : undefined
  if (other) {
    await once(other, 'open')
    let answered = 0
    other.on('message', (data) => {
      const frame: Frame = JSON.parse(String(data))
      if (frame.result) answered++
      else early.push(frame)
    })
    for (const method of ['latestBlockSubscribe', 'swapSubscribe']) {
      other.send(JSON.stringify({ id: method, method, params: { commitment: 'processed' } }))
    }
    while (answered < 2) await goRound()
  }
  ingest.start()
  onTestFinished(async () => {
    await ingest.stop()
    client.terminate()
    other?.terminate()
    const closing = gateway.close()
    clock.advance(60_000)
    await closing
    await bus.close()
    server.close()
    rmSync(dataFolder, { recursive: true, force: true })
  })

  return {
    logged,
    frames,
    texts,
    early,
    status: () => ingest.stats(),
    async pass(milliseconds, stepMs = STEP_MS, each = () => {}) {
      for (let passed = 0; passed < milliseconds; passed += stepMs) {
        each()
        await step(stepMs)
      }
    },
    async until(test) {
      const limit = Date.now() + LIMIT_MS
      while (!test()) {
        if (Date.now() > limit)
          throw new Error(`It did not happen: ${test}; the log has: ${logged.join(' ')}`)
        await step(STEP_MS)
      }
    },
  }
}

/** Accounts in which every key has the largest plan. */
function anyKey(clock: ManualClock): Parameters<typeof createGateway>[0]['accounts'] {
  const authorization = {
    outcome: 'allowed',
    accountId: 'any',
    planId: 3,
    connectionLimit: 10,
    endsAt: null,
    planInForceId: 'any',
    period: '2026-11-01',
    periodEndsAt: new Date(clock.now() + 30 * 86_400_000),
    standing: { key: 'any', plan: 'any' },
    delivered: { newPair: 0, swap: 0 },
  } as const
  return {
    authorizeKey: async () => authorization,
    authorizeAccount: async () => authorization,
    readStandings: async (ids) => new Map(ids.map((id) => [id, authorization.standing])),
    recordDelivered: async () => [],
    recordConnections: async () => undefined,
    recordRefusedUpgrades: async () => undefined,
    mayReplay: async () => false,
  }
}

/** Transactions of a simulated market, in `count` blocks of a chain. */
export async function marketBlocks(count: number): Promise<ChainTransaction[][]> {
  const clock = createManualClock()
  const source = createSimulator({
    seed: 1,
    swapsPerSecond: 30,
    clock: {
      ...clock,
      wait: async (milliseconds) => clock.advance(milliseconds),
    },
    nextRun: async () => 1,
  })
  const blocks: ChainTransaction[][] = []
  for await (const block of source.blocks(new AbortController().signal)) {
    blocks.push(block.transactions.map(toChainTransaction))
    if (blocks.length === count) break
  }
  return blocks
}
