import { createHash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Accounts, KeyAuthorization } from '@pairwire/accounts'
import { AppError, planById } from '@pairwire/contract'
import { type Gateway, type GatewayOptions, readUpgradeRequest } from '@pairwire/gateway'

type Doors = Pick<Gateway, 'handleUpgrade' | 'handleRequest'>
type KnownAccounts = GatewayOptions['accounts'] & Pick<Accounts, 'createWebhook' | 'listWebhooks'>

/**
 * A key for the user of this machine, who has no account yet, new at each start. It exists in memory only: it belongs to no
 * account of the database, and its events are not counted.
 */
export type LocalKey = ReturnType<typeof createLocalKey>

/**
 * Creates the key.
 *
 * The accounts know a second key, which never leaves this process. A request from this machine with the first key continues
 * with the second; any other request continues unchanged, and is refused like every unknown key.
 */
export function createLocalKey(isFromHere: (request: IncomingMessage) => boolean) {
  const key = newKey()
  const innerKey = newKey()
  const pro = planById(3)
  if (!pro) throw new Error('There is no plan 3.')
  const accountId = randomUUID()
  const authorization: KeyAuthorization = {
    outcome: 'allowed',
    accountId,
    planId: pro.id,
    connectionLimit: pro.connections,
    endsAt: null,
    planInForceId: randomUUID(),
    period: new Date().toISOString().slice(0, 10),
    periodEndsAt: new Date(8.64e15),
    standing: { key: 'local', plan: 'local' },
    delivered: { newPair: 0, swap: 0 },
  }
  const isOthers = (row: { accountId: string }) => row.accountId !== accountId
  const realAccount = (id: string) => {
    if (id === accountId) throw new AppError('KEY_UNKNOWN', NO_ACCOUNT)
    return id
  }

  return {
    /** The key that the person types. */
    key,
    /** Accounts that also know the key, with the limits of the largest plan. */
    besides: <Of extends KnownAccounts>(accounts: Of): Of => ({
      ...accounts,
      authorizeKey: async (given) => (isSame(given, innerKey) ? authorization : accounts.authorizeKey(given)),
      authorizeAccount: async (id) => (id === accountId ? authorization : accounts.authorizeAccount(id)),
      readStandings: async (ids) =>
        new Map([
          ...(await accounts.readStandings(ids.filter((id) => id !== accountId))),
          [accountId, authorization.standing],
        ]),
      recordDelivered: (rows, ...rest) => accounts.recordDelivered(rows.filter(isOthers), ...rest),
      recordConnections: (notes) => accounts.recordConnections(notes.filter(isOthers)),
      recordRefusedUpgrades: (rows, batch) => accounts.recordRefusedUpgrades(rows.filter(isOthers), batch),
      listWebhooks: async (id) => accounts.listWebhooks(realAccount(id)),
      createWebhook: async (id, ...args) => accounts.createWebhook(realAccount(id), ...args),
    }),
    /** Lets the key in from this machine, to streams and to the calls below `/v1`. From anywhere else it is an unknown key. */
    atDoors({ handleUpgrade, handleRequest }: Doors): Doors {
      const exchange = (request: IncomingMessage) => {
        const { key: given = '' } = readUpgradeRequest(request)
        // The gateway prefers this header.
        if (isSame(given, key) && isFromHere(request)) request.headers['x-api-key'] = innerKey
      }
      return {
        handleUpgrade(request, socket, head) {
          exchange(request)
          handleUpgrade(request, socket, head)
        },
        handleRequest(request, response) {
          exchange(request)
          return handleRequest(request, response)
        },
      }
    },
  }
}

const NO_ACCOUNT =
  'The key that the start prints has no account, and so no webhooks. Register, and use the key of your account page.'

/** Sixteen random bytes in the form of every key. */
function newKey(): string {
  return randomBytes(16).toString('hex')
}

/** Compares in constant time. */
function isSame(given: string, key: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(key))
}
