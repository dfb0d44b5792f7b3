import { drizzle } from 'drizzle-orm/node-postgres'
import { Pool } from 'pg'
import { openAside } from './backup/backup.ts'
import { causeOf, withoutParameters } from './database/database-error.ts'
import type { Database, DatabasePlace } from './database/open-database.ts'
import * as schema from './database/schema.ts'
import { createBlockedEmailDomains } from './people/blocked-email-domains.ts'
import { createSecrets } from './secrets.ts'
import type { Act, Store } from './store.ts'
import * as verbs from './verbs.ts'

/**
 * The rules of users, keys, trials and plans, over one store. Every refusal that a caller can act on is an `AppError` of the
 * contract. Nothing here sends mail or control messages: mails are queued in the transaction that causes them, and the api
 * sends them from the queue.
 */
export type Accounts = Readonly<
  { [Name in keyof Verbs]: Bound<Verbs[Name]> } & {
    /** Calls `listener` with each act that this process records. */
    onAct(listener: (act: Act) => void): void
    /** Calls `listener` when this process queues a mail. @returns a function that removes the listener */
    onMailQueued(listener: () => void): () => void
  }
>

type Verbs = typeof verbs

type Bound<Verb> = Verb extends (store: Store, ...args: infer Args) => infer Answer
  ? (...args: Args) => Answer
  : never

/** What {@link createAccounts} needs. */
export type AccountsParts = Readonly<{
  db: Database['db']
  /** Fulfilled once everything committed is on disk; see `Database.barrier`. */
  barrier: Database['barrier']
  /** Unix milliseconds. */
  clock: () => number
  /** 32 random bytes each, which the caller keeps as long as the data. */
  secrets: Readonly<{ keyEncryption: Uint8Array; pepper: Uint8Array }>
  /** Domains to refuse in addition to the built-in ones. */
  blockedEmailDomains?: readonly string[]
}>

/**
 * Binds the rules to an open database.
 *
 * Its functions throw an `AppError` for what the caller can act on (`ERR_UNAVAILABLE` if the database is away) and a
 * `DatabaseError`, which holds no parameter, for a bug.
 *
 * @throws RangeError when a secret is not 32 bytes
 */
export function createAccounts({
  db,
  barrier,
  clock,
  secrets,
  blockedEmailDomains,
}: AccountsParts): Accounts {
  const mailListeners = new Set<() => void>()
  const actListeners = new Set<(act: Act) => void>()
  const store: Store = {
    db,
    barrier,
    now: () => new Date(clock()),
    secrets: createSecrets(secrets),
    isBlockedEmail: createBlockedEmailDomains(blockedEmailDomains),
    announceAct: (act) => {
      for (const listener of actListeners) listener(act)
    },
    announceMail: () => {
      for (const listener of mailListeners) listener()
    },
  }

  /** Binds a verb to this store, with errors that are safe to log. */
  const bind = ([name, verb]: [string, (store: Store, ...args: never[]) => Promise<unknown>]) => [
    name,
    async (...args: never[]) => {
      try {
        return await verb(store, ...args)
      } catch (error) {
        throw withoutParameters(name, error)
      }
    },
  ]

  return {
    // Each verb is bound to the store, as its type `Bound` says.
    ...(Object.fromEntries(Object.entries(verbs).map(bind)) as { [Name in keyof Verbs]: Bound<Verbs[Name]> }),
    onAct: (listener) => void actListeners.add(listener),
    onMailQueued: (listener) => {
      mailListeners.add(listener)
      return () => void mailListeners.delete(listener)
    },
  }
}

/**
 * The accounts as they are now, to be looked at beside a service that may run on them: nothing is made, locked or migrated.
 *
 * @throws Error if the database cannot be opened
 */
export async function openAccountsAside(
  place: DatabasePlace,
  secrets: AccountsParts['secrets'],
): Promise<{ accounts: Accounts; close(): Promise<void> }> {
  const { pool, close } = await poolAside(place).catch((error: unknown) => {
    throw new Error(`The database cannot be opened: ${causeOf(error)}`)
  })
  const parts = { db: drizzle(pool, { schema }), barrier: async () => {}, clock: Date.now, secrets }
  return { accounts: createAccounts(parts), close }
}

/** A pool of one connection, which answers one question after the other. */
async function poolAside(place: DatabasePlace) {
  const { config, close } = await openAside(place)
  const pool = new Pool({ ...config, max: 1 })
  pool.on('error', () => {})
  const end = () => pool.end().then(() => close())
  try {
    await pool.query('select 1')
  } catch (error) {
    await end()
    throw error
  }
  return { pool, close: end }
}
