import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { type Accounts, createAccounts, openDatabase } from '@pairwire/accounts'
import WebSocket from 'ws'
import { deriveKeySecrets } from '../../packages/process/src/secrets.ts'
import { root } from '../service.ts'

/** A stream connection as a test sees it. */
type StreamClient = Readonly<{
  /** 101, or the status with which it was refused. */
  status: number
  /** Cursors of the swaps received. */
  cursors: string[]
  closed: Promise<{ code: number; reason: string }>
  isOpen(): boolean
  subscribe(resumeFrom?: string): void
  close(): void
}>

/** Creates an account with the plan Pro and this many connections, like the operator. */
export async function createAccount(
  databaseUrl: string,
  keyEncryptionSecret: string,
  { connections }: { connections: number },
): Promise<{ key: string; accountId: string; email: string }> {
  const { accounts, close } = await openStore(databaseUrl, keyEncryptionSecret)
  try {
    const email = `${randomUUID()}@example.org`
    const { accountId } = await accounts.createAccount(email)
    const { account } = await accounts.grantPlan(email, 3, connections)
    return { key: account.user.APIKey, accountId, email }
  } finally {
    await close()
  }
}

/** The accounts of a deployment, beside its own processes. */
export async function openStore(
  databaseUrl: string,
  keyEncryptionSecret: string,
): Promise<{
  accounts: Accounts
  ask(query: string): Promise<Record<string, unknown>[]>
  close(): Promise<void>
}> {
  const migrationsFolder = join(root, 'packages/accounts/migrations')
  const database = await openDatabase({ url: databaseUrl }, { migrationsFolder, log: { warn: () => {} } })
  const { db, barrier } = database
  const secrets = deriveKeySecrets(keyEncryptionSecret)
  return {
    accounts: createAccounts({ db, barrier, clock: Date.now, secrets }),
    ask: async (query) => (await db.execute(query)).rows,
    close: () => database.close(),
  }
}

/** Connects; resolves once it is accepted or refused. */
export async function connectStream(port: number, key: string): Promise<StreamClient> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/`, { headers: { 'X-API-KEY': key } })
  const cursors: string[] = []
  let settleClosed = (_: { code: number; reason: string }) => {}
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    settleClosed = resolve
  })
  socket.on('close', (code, reason) => settleClosed({ code, reason: String(reason) }))
  socket.on('message', (data) => {
    const frame = JSON.parse(String(data))
    if (frame.method === 'swapNotification') cursors.push(frame.cursor)
  })
  const status = await new Promise<number>((resolve) => {
    socket.once('open', () => resolve(101))
    socket.once('unexpected-response', (request, response) => {
      resolve(response.statusCode ?? 0)
      request.destroy()
    })
    socket.on('error', () => resolve(0))
  })
  return {
    status,
    cursors,
    closed,
    isOpen: () => socket.readyState === WebSocket.OPEN,
    subscribe: (resumeFrom) =>
      socket.send(
        JSON.stringify({
          id: 1,
          method: 'swapSubscribe',
          params: { include: { usdValue: 0.0001 }, ...(resumeFrom && { resume_from: resumeFrom }) },
        }),
      ),
    close: () => socket.terminate(),
  }
}

/** A frame of a playback, as far as tests read it. */
type PlayedFrame = Readonly<{
  cursor?: string
  params?: object
  replay?: true
  errorType?: string
  error?: Readonly<{ code: number; message: string }>
}>

/** Replays a part of an hour, with all its swaps. @returns the frames up to its end or its refusal */
export async function playBack(
  port: number,
  key: string,
  replay: Readonly<{ from: string; speed: number }>,
): Promise<PlayedFrame[]> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/`, { headers: { 'X-API-KEY': key } })
  const frames: PlayedFrame[] = []
  socket.once('open', () => {
    socket.send(JSON.stringify({ id: 1, method: 'swapSubscribe', params: { replay } }))
    socket.send('{"method":"startSimulation"}')
  })
  return new Promise<PlayedFrame[]>((resolve, reject) => {
    socket.once('error', reject)
    socket.once('close', (code) => reject(new Error(`Closed with ${code}.`)))
    socket.on('message', (data) => {
      const frame: PlayedFrame = JSON.parse(String(data))
      frames.push(frame)
      if (frame.errorType || frame.error) resolve(frames)
    })
  }).finally(() => socket.terminate())
}
