import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { accountAt } from './accounts.ts'
import type { Block, Chain } from './chain.ts'
import { accountsOf, type ChainTransaction } from './chain-transaction.ts'
import { createRandom, type Faults, noFaults } from './faults.ts'

/** An endpoint's answers to a client that sends too many requests. */
const TOO_FAST = {
  http: { status: 429, error: { code: 429, message: 'Too many requests' } },
  error: { status: 200, error: { code: -32429, message: 'rate limited' } },
  skippedCode: { status: 200, error: { code: -32007, message: '50/second request limit reached' } },
} as const

/** What {@link serveRpc} needs. */
export type RpcOptions = Readonly<{
  chain: Chain
  faults?: Faults
  seed?: number
  host?: string
  port?: number
  /** Methods that it does not support. */
  missing?: readonly string[]
  /** Whether it also has a websocket. */
  hasWebSocket?: boolean
  /** Files for browsers at the same address, by path. */
  fileAt?(path: string): Readonly<{ type: string; body: string | Buffer }> | undefined
}>

/** A JSON-RPC endpoint that can fail on command. */
export type Rpc = Readonly<{
  port: number
  /** Without a source's `rpc+`. */
  url: string
  faults: Faults
  /** The last calls in order, with their first parameter. */
  calls: readonly Readonly<{ method: string; first: unknown }>[]
  /** Open subscriptions of its websocket. */
  subscriptions(): number
  /** Breaks every connection. */
  drop(): void
  close(): Promise<void>
}>

/** Error codes of a validator's JSON-RPC. @see https://github.com/anza-xyz/agave rpc-client-api/src/custom_error.rs */
const RPC_ERROR = {
  blockCleanedUp: -32001,
  blockNotAvailable: -32004,
  slotSkipped: -32007,
  longTermStorageSlotSkipped: -32009,
  unsupportedTransactionVersion: -32015,
  minContextSlotNotReached: -32016,
  invalidParams: -32602,
  methodNotFound: -32601,
  internal: -32603,
} as const

/** Number of calls remembered. */
const MAX_CALLS = 1_000

/** Accounts allowed in one request. */
const MAX_ACCOUNTS = 100

/** Blocks after which a slot is rooted: before, a skipped one looks like a future one. */
const ROOT_DEPTH = 32

type Answer = { result: unknown } | { error: { code: number; message: string } }

/** Serves JSON-RPC over `chain` that answers like validators, with their codes and sentences, and its websocket. */
export async function serveRpc(options: RpcOptions): Promise<Rpc> {
  const { chain, faults = noFaults(), seed = 1, host = '127.0.0.1', port = 0, missing = [] } = options
  const random = createRandom(seed)
  const calls: { method: string; first: unknown }[] = []
  const recent: number[] = []

  const answer = (method: string, params: readonly unknown[]): Answer => {
    if (missing.includes(method)) return failed(RPC_ERROR.methodNotFound, 'Method not found')
    if (random() < faults.rpcErrors) return failed(RPC_ERROR.internal, 'Internal error')
    return METHODS[method]?.(chain, faults, params) ?? failed(RPC_ERROR.methodNotFound, 'Method not found')
  }

  const server = createServer(async (request, response) => {
    const question = await readQuestion(request).catch(() => undefined)
    if (faults.isSilent) return
    if (faults.isDown) return send(response, 503, 'The node is down.')
    const file = request.method === 'GET' ? options.fileAt?.(request.url ?? '') : undefined
    if (file) return void response.setHeader('content-type', file.type).end(file.body)
    if (faults.token !== undefined && request.headers['x-token'] !== faults.token) {
      return send(response, 401, 'No valid auth token')
    }
    if (!question) return send(response, 400, 'No JSON-RPC.')
    const { id, method, params = [] } = question
    calls.push({ method, first: params[0] })
    if (calls.length > MAX_CALLS) calls.shift()
    if (isTooFast(recent, faults.callsPerSecond)) {
      response.setHeader('retry-after', '1')
      const { status, error } = TOO_FAST[faults.tooFast]
      return send(response, status, JSON.stringify({ jsonrpc: '2.0', id, error }))
    }
    send(response, 200, JSON.stringify({ jsonrpc: '2.0', id, ...answer(method, params) }))
  })

  const line = new SocketLine(options, faults, random)
  server.on('upgrade', (request, socket, head) => line.upgrade(request, socket, head))
  const leaveChain = chain.onStep(({ block }) => line.notify(block))

  server.listen(port, host)
  await once(server, 'listening')
  const listening = (server.address() as AddressInfo).port
  const drop = () => {
    line.drop()
    server.closeAllConnections()
  }
  return {
    port: listening,
    url: `http://localhost:${listening}`,
    faults,
    calls,
    subscriptions: () => line.subscriptions.size,
    drop,
    close: async () => {
      leaveChain()
      drop()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

/** Its websocket: subscriptions to slots and logs. */
class SocketLine {
  readonly subscriptions = new Map<number, Subscription>()
  readonly #sockets = new Set<WebSocket>()
  readonly #websockets = new WebSocketServer({ noServer: true })
  readonly #isMissing: boolean
  readonly #faults: Faults
  readonly #random: () => number
  #nextId = 1

  constructor({ hasWebSocket = true }: RpcOptions, faults: Faults, random: () => number) {
    this.#isMissing = !hasWebSocket
    this.#faults = faults
    this.#random = random
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => {})
    const { token, isDown } = this.#faults
    if (this.#isMissing || isDown || (token !== undefined && request.headers['x-token'] !== token)) {
      socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n')
      return
    }
    this.#websockets.handleUpgrade(request, socket, head, (client) => {
      this.#sockets.add(client)
      client.on('error', () => {})
      client.on('close', () => {
        this.#sockets.delete(client)
        for (const [id, each] of this.subscriptions) if (each.client === client) this.subscriptions.delete(id)
      })
      client.on('message', (text) => {
        const question = JSON.parse(String(text)) as Question
        if (this.#faults.isSilent) return
        client.send(JSON.stringify({ jsonrpc: '2.0', id: question.id, ...this.#answer(client, question) }))
      })
    })
  }

  #answer(client: WebSocket, { method, params = [] }: Question): Answer {
    if (method === 'slotUnsubscribe' || method === 'logsUnsubscribe')
      return done(this.subscriptions.delete(Number(params[0])))
    if (method !== 'slotSubscribe' && method !== 'logsSubscribe')
      return failed(RPC_ERROR.methodNotFound, 'Method not found')
    if (method === 'logsSubscribe' && !isLogsFilter(params[0]))
      return failed(RPC_ERROR.invalidParams, 'Invalid Request: Only 1 address supported')
    if (this.subscriptions.size >= this.#faults.maxSubscriptions) {
      const sentence = 'Internal Error: Subscription refused. Node subscription limit reached'
      return failed(RPC_ERROR.internal, sentence)
    }
    this.subscriptions.set(this.#nextId, { client, method, params })
    return done(this.#nextId++)
  }

  /** Notifies subscribers of a block. */
  notify(block: Block): void {
    const { isSilent, drops, truncatedLogs } = this.#faults
    if (isSilent) return
    const isCut = () => this.#random() < truncatedLogs
    for (const [id, { client, method, params }] of this.subscriptions) {
      const messages = method === 'slotSubscribe' ? [slotOf(block)] : logsOf(block, params, isCut)
      for (const result of messages) {
        if (this.#random() < drops) {
          client.terminate()
          break
        }
        const name = method.replace('Subscribe', 'Notification')
        client.send(JSON.stringify({ jsonrpc: '2.0', method: name, params: { result, subscription: id } }))
      }
    }
  }

  drop(): void {
    for (const client of this.#sockets) client.terminate()
  }
}

type Question = { id?: unknown; method: string; params?: readonly unknown[] }

type Subscription = { client: WebSocket; method: string; params: readonly unknown[] }

type Method = (chain: Chain, faults: Faults, params: readonly unknown[]) => Answer

const METHODS: Readonly<Record<string, Method>> = {
  getVersion: () => done({ 'solana-core': '4.3.0', 'feature-set': 1 }),
  getHealth: () => done('ok'),
  getGenesisHash: (chain) => done(chain.genesisHash),
  getAgGenesisCert: () => done(null),
  getSlot: (chain) => done(chain.head()?.slot ?? 0),
  getBlockHeight: (chain) => done(chain.head()?.blockHeight ?? 0),
  getFirstAvailableBlock: (chain, faults) => done(heldOf(chain, faults)[0]?.slot ?? 0),
  getBlocks: (chain, faults, [from, to]) =>
    done(
      heldOf(chain, faults)
        .map(({ slot }) => slot)
        .filter((slot) => slot >= Number(from) && (typeof to !== 'number' || slot <= to)),
    ),
  getBlock: (chain, faults, [slot, config]) => getBlock(chain, faults, Number(slot), asConfig(config)),
  getBlockTime: (chain, faults, [slot]) => {
    const block = heldOf(chain, faults).find((each) => each.slot === slot)
    return block
      ? done(block.blockTime)
      : failed(RPC_ERROR.blockNotAvailable, `Block not available for slot ${slot}`)
  },
  getAccountInfo: (chain, _faults, [address, config]) =>
    withContext(chain, accountOf(chain, address, config)),
  getMultipleAccounts: (chain, _faults, [addresses, config]) => {
    const { minContextSlot = 0 } = (config ?? {}) as { minContextSlot?: number }
    if ((chain.head()?.slot ?? 0) < minContextSlot) {
      return failed(RPC_ERROR.minContextSlotNotReached, 'Minimum context slot has not been reached')
    }
    if (!Array.isArray(addresses) || addresses.length > MAX_ACCOUNTS) {
      return failed(RPC_ERROR.invalidParams, `Too many inputs provided; max ${MAX_ACCOUNTS}`)
    }
    const found = addresses.map((address) => accountOf(chain, address, config))
    return withContext(chain, found)
  },
  getTransaction: (chain, faults, [signature]) => {
    for (const block of heldOf(chain, faults)) {
      const index = block.transactions.findIndex(({ transaction }) => transaction.signatures[0] === signature)
      if (index < 0) continue
      const { slot, blockTime } = block
      return done({ ...versioned(block.transactions[index]!), slot, blockTime, transactionIndex: index })
    }
    return done(null)
  },
}

function getBlock(chain: Chain, faults: Faults, slot: number, config: Config): Answer {
  const held = heldOf(chain, faults)
  const head = chain.head()?.slot ?? 0
  const first = held[0]?.slot ?? head + 1
  if (!Number.isSafeInteger(slot)) return failed(RPC_ERROR.invalidParams, 'Invalid params: slot')
  if (config.commitment === 'processed') {
    return failed(RPC_ERROR.invalidParams, 'Method does not support commitment below `confirmed`')
  }
  if (slot < first) {
    const message = `Block ${slot} cleaned up, does not exist on node. First available block: ${first}`
    return failed(RPC_ERROR.blockCleanedUp, message)
  }
  const block = held.find((each) => each.slot === slot)
  if (!block) {
    if (slot > head || !isRooted(chain, slot)) {
      return failed(RPC_ERROR.blockNotAvailable, `Block not available for slot ${slot}`)
    }
    const [code, why] =
      slot % 2 === 0
        ? [RPC_ERROR.slotSkipped, 'due to ledger jump to recent snapshot']
        : [RPC_ERROR.longTermStorageSlotSkipped, 'in long-term storage']
    return failed(code, `Slot ${slot} was skipped, or missing ${why}`)
  }
  const highest = config.maxSupportedTransactionVersion
  for (const { version = 'legacy' } of block.transactions) {
    if (version === 'legacy' || (typeof highest === 'number' && version <= highest)) continue
    const message = `Transaction version (${version}) is not supported by the requesting client. Please try the request again with the following configuration parameter: "maxSupportedTransactionVersion": ${version}`
    return failed(RPC_ERROR.unsupportedTransactionVersion, message)
  }
  const { blockhash, parentSlot, parentBlockhash, blockTime, blockHeight } = block
  return done({
    blockHeight,
    blockTime,
    blockhash,
    parentSlot,
    previousBlockhash: parentBlockhash,
    ...(config.transactionDetails === 'none' ? {} : { transactions: block.transactions.map(versioned) }),
  })
}

type Config = Readonly<{
  commitment?: unknown
  maxSupportedTransactionVersion?: unknown
  transactionDetails?: unknown
}>

function asConfig(value: unknown): Config {
  return typeof value === 'object' && value !== null ? value : {}
}

function versioned({ version = 'legacy', transaction, meta }: ChainTransaction): object {
  return { meta, transaction, version }
}

function heldOf(chain: Chain, faults: Faults): readonly Block[] {
  return faults.history === 0 ? [] : chain.blocks.slice(-faults.history)
}

function isRooted(chain: Chain, slot: number): boolean {
  const root = chain.blocks.at(-1 - ROOT_DEPTH)
  return root !== undefined && slot <= root.slot
}

function slotOf({ slot, parentSlot }: Block): object {
  return { slot, parent: parentSlot, root: slot - ROOT_DEPTH }
}

/** Whether a value is a filter that validators accept in `logsSubscribe`. */
function isLogsFilter(filter: unknown): boolean {
  if (filter === 'all' || filter === 'allWithVotes') return true
  if (typeof filter !== 'object' || filter === null || !('mentions' in filter)) return false
  return Array.isArray(filter.mentions) && filter.mentions.length === 1
}

/** Makes notifications of a `logsSubscribe`, for a filter of `all` or of one mentioned account. */
function logsOf(block: Block, [filter]: readonly unknown[], isCut: () => boolean): object[] {
  const mentioned =
    typeof filter === 'object' && filter !== null && 'mentions' in filter ? filter.mentions : undefined
  return block.transactions
    .filter((each) => !Array.isArray(mentioned) || mentioned.some((key) => accountsOf(each).includes(key)))
    .map(({ transaction, meta }) => {
      const logs = meta.logMessages ?? []
      return {
        context: { slot: block.slot },
        value: {
          signature: transaction.signatures[0],
          err: meta.err,
          logs: isCut() ? [...logs.slice(0, logs.length / 2), 'Log truncated'] : logs,
        },
      }
    })
}

function accountOf(chain: Chain, address: unknown, config: unknown): object | null {
  const account = accountAt(chain, String(address))
  if (!account) return null
  const { owner, data } = account
  const { offset, length } = (config as AccountConfig)?.dataSlice ?? { offset: 0, length: data.length }
  return {
    data: [Buffer.from(data.subarray(offset, offset + length)).toString('base64'), 'base64'],
    executable: false,
    lamports: 1_000_000,
    owner,
    rentEpoch: 0,
    space: data.length,
  }
}

type AccountConfig = Readonly<{ dataSlice?: { offset: number; length: number } }> | undefined

function withContext(chain: Chain, value: unknown): Answer {
  return done({ context: { apiVersion: '4.3.0', slot: chain.head()?.slot ?? 0 }, value })
}

function isTooFast(recent: number[], limit: number): boolean {
  if (limit === 0) return false
  const now = performance.now()
  while (recent.length > 0 && recent[0]! < now - 1_000) recent.shift()
  if (recent.length >= limit) return true
  recent.push(now)
  return false
}

async function readQuestion(request: IncomingMessage): Promise<Question> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString()) as Question
}

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(body)
}

function done(result: unknown): Answer {
  return { result }
}

function failed(code: number, message: string): Answer {
  return { error: { code, message } }
}
