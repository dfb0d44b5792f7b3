import type { Duplex } from 'node:stream'
import type { Codec } from '../codecs/codec.ts'
import type { Inlet } from '../intake/intake.ts'
import type { Outbox, OutboxOwner } from '../outbox/outbox.ts'
import type { Line } from '../protocol/line.ts'
import type { Allowance } from '../rates/allowance.ts'
import type { Rate } from '../rates/rate.ts'
import type { Seat } from '../seats/seat.ts'
import type { Seats } from '../seats/seats.ts'
import type { SharedSeats } from '../seats/shared-seats.ts'
import type { ConnectionStreams } from './connection-subscriptions.ts'
import type { EndedHere } from './farewell.ts'
import type { RequestContext } from './requests.ts'
import type { StreamWanted } from './single-stream.ts'

/** The parts of one connection. */
export type ConnectionParts = Readonly<{
  /** A UUID by which its account can name it. */
  id: string
  line: Line
  codec: Codec
  /** Opens its outbox. */
  openOutbox(owner: OutboxOwner): Outbox
  inlet: Pick<Inlet, 'discard' | 'stop' | 'holdsUnread'>
  /** The stream that it was opened for; undefined if its client sends requests. */
  wanted: StreamWanted | undefined
  seat: Seat
  allowance: Allowance
  /** Its remote address, as the proxy settings give it. */
  address: string
  /** The client's name for itself, made safe to show; empty when it has none. */
  client: string
}>

/** An admitted client. Give it a connection at once. */
export type Newcomer = Omit<ConnectionParts, 'openOutbox' | 'inlet' | 'allowance'> &
  Readonly<{
    socket: Duplex
    /** Takes over the reading of its socket. */
    openInlet(reading: Rate): ConnectionParts['inlet']
  }>

/** The parts that all connections share. */
export type ConnectionContext = RequestContext &
  ConnectionStreams &
  Readonly<{
    seats: Seats
    /** Seats as all gateways count them; undefined for a single gateway. */
    shared: Pick<SharedSeats, 'leave'> | undefined
    /** Called once the socket is closed. */
    onClosed(): void
    /** Called when the gateway ends a connection. */
    onEnd(reason: EndedHere): void
  }>
