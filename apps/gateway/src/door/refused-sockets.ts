import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { afterWaitAndReading, type Clock } from '@pairwire/basics'
import { CLOSE_REASONS, SUPPORT_EMAIL } from '@pairwire/contract'
import type { Server } from 'ws'
import type { Intake } from '../intake/intake.ts'
import type { GatewayLimits } from '../limits.ts'
import type { ClientSocket } from '../protocol/client-socket.ts'
import { createRate } from '../rates/rate.ts'
import { type Refusal, writeRefusal } from './refusal.ts'

/** A websocket request, as the HTTP server passes it on. */
export type Upgrade = Readonly<{ request: IncomingMessage; socket: Duplex; head: Buffer }>

/** The refused sockets that are still open. */
export type RefusedSockets = ReturnType<typeof createRefusedSockets>

/** Makes an empty set. */
export function createRefusedSockets({
  server,
  intake,
  clock,
  limits,
  docsUrl,
  supportEmail,
  countRefused,
}: Readonly<{
  server: Server<typeof ClientSocket>
  intake: Intake
  clock: Clock
  limits: GatewayLimits
  docsUrl: string
  supportEmail: string
  countRefused(status: number): void
}>) {
  const leaving = new Set<Duplex>()
  let whenGone = () => {}
  /** One rate for all of them: there is next to nothing to read. */
  const reading = createRate(clock, limits.readingPerSecond, limits.readingBurst)

  /** Cuts a socket that the other side does not end. */
  const watch = (socket: Duplex) => {
    leaving.add(socket)
    const cancel = afterWaitAndReading(clock, limits.closeGraceMs, () => socket.destroy())
    socket.on('close', () => {
      cancel()
      leaving.delete(socket)
      if (leaving.size === 0) whenGone()
    })
  }

  /** Keeps reading, so that the answer is not lost in a reset, but only as much as a client sends before the answer. */
  const letGo = (socket: Duplex) => {
    let bytes = 0
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > limits.refusedReadBytes) socket.destroy()
    })
  }

  return {
    /** Tells the client, by a close if that is the only answer it can read. */
    refuse({ request, socket, head }: Upgrade, refusal: Refusal, isToldByClose = false) {
      const { status, close } = refusal
      const sentence = refusal.sentence.replace(SUPPORT_EMAIL, supportEmail)
      countRefused(status)
      watch(socket)
      if (!isToldByClose || !close) {
        writeRefusal(socket, { ...refusal, sentence }, docsUrl)
        letGo(socket)
        return
      }
      server.handleUpgrade(request, socket, head, (ws) => {
        const inlet = intake.open(ws, socket, reading)
        ws.on('error', () => inlet.discard()) // the close is the only answer
        ws.hangUp(CLOSE_REASONS[close].code, sentence)
      })
    },
    /** Resolves once all of them are closed. */
    untilGone: () =>
      new Promise<void>((resolve) => {
        whenGone = resolve
        if (leaving.size === 0) resolve()
      }),
    /** Cuts all of them. */
    cut() {
      for (const socket of [...leaving]) socket.destroy()
    },
  }
}
