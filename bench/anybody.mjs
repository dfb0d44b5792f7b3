/** Accounts for a gateway in which every key is one account's, with the largest plan and any number of connections. */
export function anybody() {
  const standing = { key: 'bench', plan: 'bench' }
  const authorization = {
    outcome: 'allowed',
    accountId: 'bench',
    planId: 3,
    connectionLimit: 1_000_000,
    endsAt: null,
    planInForceId: 'bench',
    period: '2026-11-01',
    periodEndsAt: new Date(Date.now() + 86_400_000),
    standing,
    delivered: { newPair: 0, swap: 0 },
  }
  return {
    authorizeKey: async () => authorization,
    authorizeAccount: async () => authorization,
    readStandings: async (ids) => new Map(ids.map((id) => [id, standing])),
    recordDelivered: async () => {},
    recordConnections: async () => {},
  }
}
