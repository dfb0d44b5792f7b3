import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Clock, Log } from '@pairwire/basics'
import { type ServerOptions, WebSocketServer } from 'ws'
import { websocketCodec } from '../codecs/websocket-codec.ts'
import type { Newcomer } from '../connection/connection-parts.ts'
import type { Intake } from '../intake/intake.ts'
import type { GatewayLimits } from '../limits.ts'
import { ClientSocket } from '../protocol/client-socket.ts'
import type { Rate } from '../rates/rate.ts'
import type { Admission } from './admission.ts'
import { giveBack } from './give-back.ts'
import { REFUSALS, type Refusal, wrongPath } from './refusal.ts'
import { createRefusedSockets, type RefusedSockets, type Upgrade } from './refused-sockets.ts'
import { asksForWebsocket, handshakeFault, readUpgradeRequest } from './upgrade-request.ts'

/** What the door of websockets needs. */
type UpgradeParts = Readonly<{
  admission: Admission
  intake: Intake
  clock: Clock
  limits: GatewayLimits
  log: Log
  docsUrl: string
  supportEmail: string
  clientAddress(request: IncomingMessage): string
  countRefused(status: number): void
  onNewcomer(newcomer: Newcomer): void
}>

/** The door of websockets: answers who may not connect, and opens the others. */
export class Upgrades {
  /** Refused clients, until their sockets close. */
  readonly refused: RefusedSockets
  readonly #parts: UpgradeParts
  readonly #server: ReturnType<typeof createWebSocketServer>

  /** Opens the door. */
  constructor(parts: UpgradeParts) {
    this.#parts = parts
    this.#server = createWebSocketServer(parts.limits)
    this.refused = createRefusedSockets({ ...parts, server: this.#server })
  }

  /** Handles an `upgrade` event of an HTTP server. Never throws or rejects. */
  handle(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // First of all: without a listener, a reset connection would end the process.
    socket.on('error', () => socket.destroy())
    if (!asksForWebsocket(request)) {
      if (!giveBack(request, socket, head)) socket.destroy()
      return
    }
    // `ws` accepts only the bare name, not a list.
    request.headers.upgrade = 'websocket'
    this.#accept({ request, socket, head }).catch((error: unknown) => {
      this.#parts.log.error('An upgrade failed inside the gateway.', { error })
      socket.destroy()
    })
  }

  async #accept(upgrade: Upgrade): Promise<void> {
    const { admission, intake, clientAddress, docsUrl, onNewcomer } = this.#parts
    const { request, socket, head } = upgrade
    const { path, key, client, isToldByClose } = readUpgradeRequest(request)
    const address = clientAddress(request)
    const refusal =
      admission.refusalOf(address) ??
      refusalOfHandshake(request, path, docsUrl) ??
      (await admission.admit({
        key,
        isGone: () => socket.destroyed,
        join: (id, seat) => {
          let hasJoined = false // the handshake may fail
          this.#server.handleUpgrade(request, socket, head, (ws) => {
            hasJoined = true
            const openInlet = (reading: Rate) => intake.open(ws, socket, reading)
            onNewcomer({
              ...{ id, line: ws, codec: websocketCodec, socket, openInlet, seat, address, client },
              wanted: undefined,
            })
          })
          return hasJoined
        },
      }))
    if (refusal) this.refused.refuse(upgrade, refusal, isToldByClose)
  }
}

function refusalOfHandshake(
  request: IncomingMessage,
  path: string | undefined,
  docsUrl: string,
): Refusal | undefined {
  if (path !== '/') return wrongPath(docsUrl)
  const fault = handshakeFault(request)
  return fault && REFUSALS[fault]
}

function createWebSocketServer(limits: GatewayLimits) {
  // Two options are missing from the library's types.
  const options: ServerOptions<typeof ClientSocket> & { closeTimeout: number; maxFragments: number } = {
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    autoPong: false,
    maxPayload: limits.frameMaxBytes,
    maxFragments: limits.frameMaxFragments,
    // Applies to neither: connections limit their own closing, and refused sockets are watched.
    closeTimeout: limits.drainMs,
    WebSocket: ClientSocket,
  }
  const server = new WebSocketServer(options)
  server.on('headers', (headers) => headers.push('Referrer-Policy: no-referrer'))
  return server
}
