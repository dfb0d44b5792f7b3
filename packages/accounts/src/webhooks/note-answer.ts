import { WEBHOOK_LIMITS, type Webhook } from '@pairwire/contract'
import { sql } from 'drizzle-orm'
import { accounts, webhookDeadLetters, webhooks } from '../database/schema.ts'
import type { NotedMessage } from '../database/webhook-tables.ts'
import { queueWebhookNotice } from '../mails/queue-mail.ts'
import { addCounts, type DeliveredCount } from '../plans/record-delivered.ts'
import type { Store } from '../store.ts'

/** What a try came to, see the table of answers. */
export type WebhookOutcome =
  | Readonly<{ is: 'taken' }>
  | Readonly<{ is: 'again'; isRefused: boolean; nextTryAt: Date; mail?: 'webhook_failing' | undefined }>
  | Readonly<{ is: 'dead'; status: number | null; body: string }>
  | Readonly<{ is: 'stop' }>

/** What {@link noteAnswer} takes. */
export type AnswerToNote = Readonly<{
  id: string
  owner: string
  message: NotedMessage
  attempt: NonNullable<Webhook['lastAttempt']>
  outcome: WebhookOutcome
  /** When what is left had arrived, once a message is taken. */
  behindSince: Date
  /** The period that its events count to. */
  charge: Pick<DeliveredCount, 'planInForceId' | 'period'>
}>

/**
 * Notes what became of a try, if the message is still the endpoint's and the endpoint still this process's. The events of one
 * that was taken count in the statement that moves the place.
 *
 * @returns the endpoint's state; undefined if the answer no longer counts
 */
export async function noteAnswer(store: Store, answer: AnswerToNote): Promise<Webhook['state'] | undefined> {
  const { id, outcome } = answer
  const stopped = await store.db.transaction(async (tx) => {
    const [row] = (await tx.execute<Noted>(statementOf(answer, store.now()))).rows
    if (!row) return undefined
    const kind = row.isStopped ? 'webhook_stopped' : outcome.is === 'again' ? outcome.mail : undefined
    if (kind) await queueWebhookNotice(store, tx, row.accountId, kind, { id, url: row.url, since: row.since })
    return row
  })
  if (!stopped) return undefined
  if (outcome.is !== 'taken') {
    await store.barrier()
    store.announceMail()
  }
  return stopped.state
}

type Noted = { accountId: string; url: string; state: Webhook['state']; isStopped: boolean; since: string }

/** A mail needs the row of its account, which a deletion locks before the endpoints: so this locks it first too. */
const ACCOUNT_FIRST = sql` and exists (select from ${accounts} where accounts.id = account_id for key share)`

function statementOf({ id, owner, message, attempt, outcome, behindSince, charge }: AnswerToNote, now: Date) {
  const { n, last, count } = message
  const over = sql`message = null, tries = 0, refusals = 0, next_try_at = null, place = ${message.isAgain ? sql`place` : last}`
  const failing = sql`failed = failed + 1, failing_since = coalesce(failing_since, ${now}::timestamptz)`
  const state = (word: string) => sql`case state when 'paused' then state else ${word} end`
  const change = {
    taken: () => sql`${over}, delivered = delivered + 1, events = events + ${count}, state = ${state('on')},
      failing_since = null, dead_in_row = 0, behind_since = ${behindSince}::timestamptz`,
    again: () => sql`${failing}, state = ${state('failing')}, tries = tries + 1,
      refusals = refusals + ${outcome.is === 'again' && outcome.isRefused ? 1 : 0},
      next_try_at = ${outcome.is === 'again' ? outcome.nextTryAt : null}::timestamptz`,
    dead: () => sql`${over}, ${failing}, dead_letters = dead_letters + 1, dead_in_row = dead_in_row + 1,
      state = case when dead_in_row + 1 >= ${WEBHOOK_LIMITS.deadInRow} then 'stopped' else ${state('failing')} end`,
    stop: () => sql`${failing}, tries = tries + 1, state = 'stopped'`,
  }[outcome.is]()
  const letter =
    outcome.is !== 'dead'
      ? sql``
      : sql`, letter as (
          insert into ${webhookDeadLetters} (endpoint_id, n, at, message, status, body)
          select ${id}, ${n}, ${now}::timestamptz, ${JSON.stringify(message)}::jsonb || jsonb_build_object('params',
            coalesce(${JSON.stringify(message.params ?? null)}::jsonb, params)), ${outcome.status}, ${outcome.body} from moved
        ), forgotten as (
          delete from ${webhookDeadLetters} where endpoint_id = ${id} and n <= (
            select n from ${webhookDeadLetters} where endpoint_id = ${id} order by n desc offset ${WEBHOOK_LIMITS.deadLetters - 1} limit 1)
        )`
  const counts = outcome.is === 'taken' ? countsOf(message, charge, now) : []
  return sql`
    with moved as (
      update ${webhooks} set ${change}, last_attempt = ${JSON.stringify(attempt)}::jsonb
      where id = ${id} and owner = ${owner} and (message->>'n')::bigint = ${n}${outcome.is === 'taken' ? sql`` : ACCOUNT_FIRST}
      returning account_id, url, state, params, coalesce(failing_since, ${now}::timestamptz) as since
    )${letter}, given as (
      select account_id, "planInForceId" as plan_in_force_id, period, day, kind, count, 'webhooks' as face from moved,
      json_to_recordset(${JSON.stringify(counts)}::json) as given (
        "planInForceId" uuid, period date, day date, kind text, count bigint)
    ), ${addCounts}
    select account_id as "accountId", url, state, since::text,
      state = 'stopped' as "isStopped" from moved`
}

/** The events of a message by kind, on the day on which they were taken. */
function countsOf({ type, count, buys }: NotedMessage, charge: AnswerToNote['charge'], now: Date) {
  if (type === 'gap') return []
  const day = now.toISOString().slice(0, 10)
  const kinds = type === 'newPair' ? { newPair: count } : { buy: buys, sell: count - buys }
  return Object.entries(kinds).flatMap(([kind, count]) => (count > 0 ? { ...charge, day, kind, count } : []))
}
