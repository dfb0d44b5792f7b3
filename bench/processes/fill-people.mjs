// Fills a database with people, their plans, payments and connections, as SQL that both databases take.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { product } from '../harness/product.mjs'
import { args, serve } from '../harness/serve.mjs'

const { place, dataFolder, people, reports, connections } = args
const { openDatabase } = await product('packages/accounts/src/database/open-database.ts')
const { createSecrets } = await product('packages/accounts/src/database/secrets.ts')
const { deriveKeySecrets } = await product('packages/process/src/secrets.ts')
const { MIGRATIONS, WORKER_URL } = await product('packages/accounts/src/testing/pglite-folders.ts')

/** Every so many people one pays; the rest have had a trial, or nothing. */
const PAYING_EVERY = 4
/** Rows of one statement. */
const AT_ONCE = 5_000
const id = (kind, number) => `md5('${kind}' || ${number})::uuid`

const database = await openDatabase(place.folder ? { ...place, workerUrl: WORKER_URL } : place, {
  migrationsFolder: MIGRATIONS,
  log: console,
  closeWithinMs: 600_000,
})
const run = (text) => database.db.execute(text)

/** Runs a statement over numbers from 1 on, some at a time. */
async function insert(count, into, values) {
  for (let from = 1; from <= count; from += AT_ONCE)
    await run(
      `insert into ${into} select ${values} from generate_series(${from}, ${Math.min(count, from + AT_ONCE - 1)}) n`,
    )
}

// Each has a key that opens, as a check of a backup tries.
const kept = JSON.parse(readFileSync(join(dataFolder, 'secrets.json'), 'utf8'))
const secrets = createSecrets(deriveKeySecrets(kept.keyEncryptionSecret))
for (let from = 1; from <= people; from += AT_ONCE) {
  const rows = Array.from({ length: Math.min(AT_ONCE, people - from + 1) }, (_, at) => {
    const n = from + at
    const hash = createHash('md5').update(`account${n}`).digest('hex')
    const owner = hash.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
    return { n, owner, sealed: secrets.keys.seal(hash, owner) }
  })
  await run(`insert into accounts (id, email, email_normalised, created_at, marketing_emails, key_hash, key_sealed, seen_at, events_30d, faults_24h)
    select owner, 'person' || n || '@mail' || n % 97 || '.example', 'person' || n || '@mail' || n % 97 || '.example',
      now() - n % 700 * interval '1 day', false, md5('key' || n) || md5('of' || n), sealed, now() - n % 5000 * interval '1 minute', n * 7919 % 1000003, n * 31 % 50
    from json_to_recordset('${JSON.stringify(rows)}') as one (n bigint, owner uuid, sealed text)`)
}
const payers = Math.floor(people / PAYING_EVERY)
await insert(
  payers,
  `subscriptions (id, account_id, kind, plan_id, started_at, ends_at, state, provider, provider_subscription_id, provider_customer_id)`,
  `${id('plan', 'n')}, ${id('account', `n * ${PAYING_EVERY}`)}, 'paid', 1 + n % 3, now() - interval '400 days', now() + n % 30 * interval '1 day', 'active', 'paddle', 'sub_' || n, 'ctm_' || n`,
)
const trials = Math.floor(people / 3)
await insert(
  trials,
  `subscriptions (id, account_id, kind, plan_id, started_at, ends_at, ended_at)`,
  `${id('trial', 'n')}, ${id('account', 'n * 3')}, 'trial', 2, now() - (n % 600 + 10) * interval '1 day', now() - (n % 600 + 5) * interval '1 day', now() - (n % 600 + 5) * interval '1 day'`,
)
// A charge a month for each, backwards; nine in a hundred of them were refunded.
const months = Math.floor(reports / payers)
await insert(
  payers * months,
  `billing_events (provider, id, subscription_id, customer_id, account_id, occurred_at, received_at, type, plan_id, "from", until, origin, transaction_id, amount, net, tax, currency, raw)`,
  `'paddle', 'evt_' || n, 'sub_' || 1 + n % ${payers}, 'ctm_' || 1 + n % ${payers}, ${id('account', `(1 + n % ${payers}) * ${PAYING_EVERY}`)},
   now() - n / ${payers} * interval '30 days', now() - n / ${payers} * interval '30 days', case when n % 11 = 0 then 'refunded' else 'charged' end, 1 + n % 3,
   now() - n / ${payers} * interval '30 days', now() - (n / ${payers} - 1) * interval '30 days', 'subscription_recurring',
   'txn_' || case when n % 11 = 0 then n - 1 else n end, 2900, 2900, 0, 'USD', '{}'`,
)
await insert(
  connections,
  `stream_connections (id, account_id, address, client, opened_at, seen_at, closed_at, ended, sent_events, faults)`,
  `${id('connection', 'n')}, ${id('account', `1 + n % ${people}`)}, '192.0.2.' || n % 250, 'bot', now() - n % 86000 * interval '1 second', now() - n % 80000 * interval '1 second', now() - n % 80000 * interval '1 second', 'client', n % 9999,
   case when n % 40 = 0 then '{"ERR_VALIDATION": 2}'::jsonb else '{}'::jsonb end`,
)
await run('analyze') // as the service does by itself, in time
await database.close()
serve({})
