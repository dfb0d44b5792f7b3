import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { CLOSE_REASONS } from '@pairwire/contract'
import { afterWaitAndReading, type Clock } from '@pairwire/process'
import type { Server } from 'ws'
import { createAllowance } from './allowance.ts'
import type { ClientSocket } from './client-socket.ts'
import type { Intake } from './intake.ts'
import type { GatewayLimits } from './limits.ts'
import { type Refusal, writeRefusal } from './refusal.ts'

/** A request for a websocket, as the HTTP server hands it over. */
export type Upgrade = Readonly<{ request: IncomingMessage; socket: Duplex; head: Buffer }>

/** The sockets that were refused and are not gone yet. */
export type RefusedSockets = Readonly<{
  /** Tells who asked, a browser in the only way that it can read. */
  refuse(upgrade: Upgrade, refusal: Refusal, isBrowser?: boolean): void
  isEmpty(): boolean
  /** Cuts all of them. */
  cut(): void
  /** How many were refused since the start, by HTTP status. */
  counts(): Readonly<Record<string, number>>
}>

/** Makes an empty set. `onGone` is called whenever a socket has gone. */
export function createRefusedSockets({
  server,
  intake,
  clock,
  limits,
  docsUrl,
  onGone,
}: Readonly<{
  server: Server<typeof ClientSocket>
  intake: Intake
  clock: Clock
  limits: GatewayLimits
  docsUrl: string
  onGone: () => void
}>): RefusedSockets {
  const leaving = new Set<Duplex>()
  const counts: Record<string, number> = {}
  /** All share one: there is next to nothing to read of them. */
  const allowance = createAllowance(clock, limits)

  /** Cuts a socket whose other side does not end it. */
  const watch = (socket: Duplex) => {
    leaving.add(socket)
    const cancel = afterWaitAndReading(clock, limits.closeGraceMs, () => socket.destroy())
    socket.on('close', () => {
      cancel()
      leaving.delete(socket)
      onGone()
    })
  }

  /** Reads on, so that the answer is not lost in a reset, but no more than a client sends that does not wait for it. */
  const letGo = (socket: Duplex) => {
    let bytes = 0
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > limits.refusedReadBytes) socket.destroy()
    })
  }

  return {
    refuse({ request, socket, head }, refusal, isBrowser = false) {
      const { status, close, sentence } = refusal
      counts[status] = (counts[status] ?? 0) + 1
      watch(socket)
      if (!isBrowser || !close) {
        writeRefusal(socket, refusal, docsUrl)
        letGo(socket)
        return
      }
      server.handleUpgrade(request, socket, head, (ws) => {
        const inlet = intake.open(ws, socket, allowance.reading)
        ws.on('error', () => inlet.discard()) // the close is all there is to say
        ws.hangUp(CLOSE_REASONS[close].code, sentence)
      })
    },
    isEmpty: () => leaving.size === 0,
    cut() {
      for (const socket of [...leaving]) socket.destroy()
    },
    counts: () => ({ ...counts }),
  }
}
