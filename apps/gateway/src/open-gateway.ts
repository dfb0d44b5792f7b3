import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import proxyAddress from '@fastify/proxy-addr'
import type { Accounts } from '@pairwire/accounts'
import type { Log } from '@pairwire/basics'
import type { Bus } from '@pairwire/bus'
import { ASKS, OfAccount, StreamsWanted } from '@pairwire/contract'
import type { Config } from './config.ts'
import { createGateway, type Gateway, type GatewayOptions } from './gateway.ts'
import { SharedSeats, type SharedSeatsParts } from './seats/shared-seats.ts'

/** The settings that a gateway uses. */
type GatewaySettings = Pick<
  Config,
  | 'sourceKind'
  | 'servesEarly'
  | 'publicUrl'
  | 'trustProxy'
  | 'connectRatePerAddress'
  | 'supportEmail'
  | 'port'
>

/** The store of accounts that all gateways of a deployment share. */
type SharedAccounts = SharedSeatsParts['accounts'] & Pick<Accounts, 'countSeatsBefore'>

/**
 * Opens a gateway by the settings, in one process with the other parts or alone. `shared` is for one of several: it
 * counts seats and rates with the others, and answers their requests and the api's over the bus.
 */
export function openGateway(
  settings: GatewaySettings,
  {
    shared,
    ...parts
  }: Readonly<{
    bus: Bus
    accounts: GatewayOptions['accounts']
    log: Log
    shared?: SharedAccounts | undefined
  }>,
): Gateway {
  const { sourceKind, servesEarly, publicUrl, trustProxy, connectRatePerAddress, supportEmail, port } =
    settings
  const { bus } = parts
  const trusted = proxyAddress.compile([...trustProxy])
  const name = { id: randomUUID(), name: `${hostname()}:${port}` }
  const gateway = createGateway({
    ...parts,
    ...(shared && {
      gatewayId: name.id,
      seatsBefore: (accountId) => shared.countSeatsBefore(accountId, name.id),
      openShared: (seats) => new SharedSeats({ ...seats, bus, accounts: shared, gateway: name }),
    }),
    source: sourceKind,
    servesEarly,
    docsUrl: `${publicUrl}/docs`,
    supportEmail,
    clientAddress: (request) => proxyAddress(request, trusted),
    limits: { connectsPerSecondPerAddress: connectRatePerAddress },
  })
  if (shared) {
    bus.answer(ASKS.openStreams(name.id), (body) => gateway.openConnections(OfAccount.parse(body).accountId))
    bus.answer(ASKS.connections(name.id), (body) => gateway.listConnections(StreamsWanted.parse(body)))
  }
  return gateway
}
