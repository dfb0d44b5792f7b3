import type { Seat } from './seat.ts'

/**
 * Asks connections of a seat that is full whether they are alive, and ends those that are not, so that a dropped
 * network locks nobody out. One round at a time for an account: who comes meanwhile waits for the same round.
 */
export function createProbes(): (seat: Seat) => Promise<void> {
  const rounds = new Map<string, Promise<void>>()

  const ask = async (seat: Seat) => {
    await Promise.all(
      seat.openConnections.map(async (connection) => {
        const isAlive = await connection.probe()
        // Out of its seat at once; its closing frames go in their own time, where its socket still takes them.
        if (!isAlive) connection.end('connectionLimit')
      }),
    )
    rounds.delete(seat.accountId)
  }

  return (seat) => {
    const running = rounds.get(seat.accountId)
    if (running) return running
    const round = ask(seat)
    rounds.set(seat.accountId, round)
    return round
  }
}
