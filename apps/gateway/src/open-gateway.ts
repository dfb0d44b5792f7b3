import proxyAddress from '@fastify/proxy-addr'
import type { Bus } from '@pairwire/bus'
import type { Config } from './config.ts'
import { createGateway, type Gateway, type GatewayOptions } from './gateway.ts'
import type { GatewayLog } from './gateway-log.ts'

/** What of the settings a gateway goes by. */
export type GatewaySettings = Pick<
  Config,
  'simulated' | 'servesEarly' | 'publicUrl' | 'trustProxy' | 'connectRatePerAddress'
>

/** A gateway as the settings want it, in one process with the other parts or alone. */
export function openGateway(
  { simulated, servesEarly, publicUrl, trustProxy, connectRatePerAddress }: GatewaySettings,
  parts: Readonly<{ bus: Bus; accounts: GatewayOptions['accounts']; log: GatewayLog }> &
    Pick<GatewayOptions, 'gatewayId' | 'openShared'>,
): Gateway {
  const trusted = proxyAddress.compile([...trustProxy])
  return createGateway({
    ...parts,
    simulated,
    servesEarly,
    docsUrl: `${publicUrl}/docs`,
    clientAddress: (request) => proxyAddress(request, trusted),
    limits: { connectsPerSecondPerAddress: connectRatePerAddress },
  })
}
