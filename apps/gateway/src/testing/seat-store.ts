import type { SeatTaken } from '@pairwire/accounts'
import type { SharedSeatsParts } from '../seats/shared-seats.ts'

/** The part of the accounts that counts seats for gateways, on these. */
export function createSeatStore(seats: Map<string, SeatTaken>): SharedSeatsParts['accounts'] {
  return {
    noteGateway: async () => ({ wasAway: false }),
    forgetGateway: async () => {},
    async takeSeat(seat, limit) {
      const others = [...seats.values()].filter(
        ({ connectionId, accountId }) => connectionId !== seat.connectionId && accountId === seat.accountId,
      )
      if (others.length >= limit)
        return { outcome: 'full', gatewayIds: [...new Set(others.map(({ gatewayId }) => gatewayId))] }
      seats.set(seat.connectionId, seat)
      return { outcome: 'taken' }
    },
    listSeats: async (gatewayId) =>
      [...seats.values()].filter((seat) => seat.gatewayId === gatewayId).map((seat) => seat.connectionId),
    restoreSeats: async () => new Map(),
  }
}
