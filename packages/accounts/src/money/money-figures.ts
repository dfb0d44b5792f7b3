import { type SQL, sql } from 'drizzle-orm'
import { billingEvents, formerPeople, orderEvents, orders, subscriptions } from '../database/schema.ts'

/** A range of accounts, and of the numbers that stand for deleted ones; both ends belong to it. */
export type Owners = Readonly<{ first: string; last: string }>

/** The months that are read, numbered from 1, by their first moments; and the moment up to which they are. */
export type Months = Readonly<{ begins: readonly Date[]; until: Date }>

/**
 * The figures of these owners' plans, as rows `n`, `currency` (empty for counts), `figure` and `value`. What stands at the end
 * of a month has its number, under 0 the end of the month before the first.
 */
export function figuresOfPlans(months: Months, { first, last }: Owners): SQL {
  const isTheirs = (owner: unknown) => sql`${owner} between ${first}::uuid and ${last}::uuid`
  const { monthOf, endsWithin, isRead } = timesOf(months)
  return sql`
    with facts as materialized (
      select hashtextextended(provider || ' ' || subscription_id, 0) as sub, coalesce(person, account_id) as who,
        id, type, occurred_at, plan_id, transaction_id, adjustment_id, ${IN_ONE_CURRENCY}, monthly, before,
        ${monthOf('occurred_at')} as n, case type when 'charged' then coalesce("from", occurred_at) else occurred_at end as at,
        case when monthly is null then coalesce(ends_at, 'infinity') else ends_at end as ends
      from ${billingEvents} where ${isTheirs(billingEvents.accountId)} or ${isTheirs(billingEvents.person)}
    ),
    trials as (
      select account_id as who, started_at as begins, coalesce(ended_at, ends_at) as ends from ${subscriptions}
      where kind = 'trial' and ${isTheirs(subscriptions.accountId)}
      union all select person, trial_started_at, trial_ended_at from ${formerPeople}
      where trial_started_at is not null and ${isTheirs(formerPeople.person)}
    ),
    held as materialized (
      select ${endsWithin('at', 'ends')} as n, sub, who, currency, seen, monthly
      from (
        select *, min(at) over (partition by who, currency) as seen from facts where monthly > 0 and at < ends
      ) intervals where ${isRead('at')}
    ),
    moved as materialized (
      select n, who, currency, min(seen) as seen, sum(earlier)::bigint as earlier, sum(later)::bigint as later from (
        select n, who, currency, seen, 0 as earlier, monthly as later from held where n > 0
        union all select n + 1, who, currency, seen, monthly, 0 from held where n < ${months.begins.length}
      ) ends group by 1, 2, 3
    ),
    standing as materialized (
      select n, who, max(currency) as currency, max(monthly) as monthly, max(type) as type, max(plan_id) as plan_id
      from (
        select n, sub, who, currency, monthly, null as type, null as plan_id from held
        union all select ${endsWithin('at', 'ends')}, sub, who, null, null, type, plan_id from facts
          where type in ('paid', 'payment_failed', 'cancelled', 'ended') and ${isRead('at')}
      ) said where n > 0 group by n, sub, who having max(monthly) > 0
    )
    select n, currency, figure, sum(value)::text as value from (
      ${ofMovements(months)} union all ${OF_STANDING} union all ${ofTrials(months)} union all ${ofFailures(months)}
      union all ${takings(months, { gross: 'gross', tax: 'tax', refunds: 'refunds', fees: 'fees' })}
    ) figures where value <> 0 group by 1, 2, 3`
}

/** The same of all orders of history, also of those whose account is gone. */
export function figuresOfOrders(months: Months): SQL {
  const { monthOf, isRead } = timesOf(months)
  return sql`
    with facts as materialized (
      select event.provider as sub, event.transaction_id, event.id, event.type, adjustment_id, occurred_at,
        ${monthOf('occurred_at')} as n, ${IN_ONE_CURRENCY}
      from ${orderEvents} event join ${orders} using (provider, transaction_id)
    )
    select n, currency, figure, sum(value)::text as value from (
      ${takings(months, { gross: 'orderGross', tax: 'orderTax', refunds: 'orderRefunds', fees: 'orderFees' })}
      union all select n, '', 'orders', 1 from facts where type = 'charged' and n > 0 and ${isRead('occurred_at')}
    ) figures where value <> 0 group by 1, 2, 3`
}

/**
 * Times as numbers of months. A search in their beginnings instead of a join: the database cannot know how large a set of a
 * with-query is, and compares each with each.
 */
function timesOf({ begins, until }: Months) {
  const beginnings = sql`${sql.param(begins.map((begin) => begin.toISOString()))}::timestamptz[]`
  const end = sql`${until.toISOString()}::timestamptz`
  const monthOf = (time: string) => sql`width_bucket(${sql.raw(time)}, ${beginnings})`
  return {
    beginnings,
    end,
    /** The month of a time; 0 before the first. */
    monthOf,
    /** A row for each month at whose end an interval, which begins before `until`, is not over. */
    endsWithin: (from: string, to: string) =>
      sql`generate_series(${monthOf(from)}, case when ${sql.raw(to)} > ${end} then ${begins.length} else ${monthOf(to)} - 1 end)`,
    isRead: (time: string) => sql`${sql.raw(time)} <= ${end}`,
  }
}

/** The sums of a report in the currency of the payout, where it names one, else in its own. */
const IN_ONE_CURRENCY = sql.raw(
  ['amount', 'tax', 'fee']
    .map((sum) => `case when payout_currency is null then ${sum} else payout_${sum} end as ${sum}`)
    .concat('coalesce(payout_currency, currency) as currency')
    .join(', '),
)

/** Types of reports that give money back. */
const REFUNDS = sql.raw(`'refunded', 'refunded_in_part', 'charged_back'`)

/** Money that moved in each month, under these names of figures. A refund counts once; without a sum it is of the whole. */
function takings(months: Months, names: Readonly<Record<'gross' | 'tax' | 'refunds' | 'fees', string>>): SQL {
  const isRead = sql`n > 0 and ${timesOf(months).isRead('occurred_at')}`
  return sql`
    select n, currency, figure, value from (
      select n, currency, sum(amount) as gross, sum(tax) as tax, sum(fee) as fees
      from facts where type = 'charged' and ${isRead} group by 1, 2
    ) taken cross join lateral (values (${names.gross}, gross), (${names.tax}, tax), (${names.fees}, fees)) named (figure, value)
    union all select n, currency, ${names.refunds}, sum(amount) from (
      select distinct on (sub, coalesce(adjustment_id, id)) n, type, occurred_at, coalesce(currency, paid_currency) as currency,
        case type when 'refunded_in_part' then amount else coalesce(amount, paid) end as amount
      from (
        select *, max(amount) filter (where type = 'charged') over payment as paid,
          max(currency) filter (where type = 'charged') over payment as paid_currency
        from facts where transaction_id in (select transaction_id from facts where type in (${REFUNDS}))
          and type in ('charged', ${REFUNDS})
        window payment as (partition by sub, transaction_id)
      ) payments where type <> 'charged' and paid is not null order by sub, coalesce(adjustment_id, id), occurred_at
    ) refunds where ${isRead} group by 1, 2`
}

/** What became of each person from one month's end to the next. */
function ofMovements(months: Months): SQL {
  const { beginnings } = timesOf(months)
  return sql`
  select n, currency, figure, value from (
    select n, currency, sum(earlier) as earlier, sum(later) as later,
      sum(later) filter (where earlier = 0 and seen >= (${beginnings})[n]) as begun,
      sum(later) filter (where earlier = 0 and seen < (${beginnings})[n]) as again,
      sum(later - earlier) filter (where earlier > 0 and later > earlier) as more,
      sum(earlier - later) filter (where later > 0 and later < earlier) as less,
      sum(earlier) filter (where later = 0) as gone
    from moved group by 1, 2
  ) sums cross join lateral (values
    ('start', earlier), ('mrr', later), ('new', begun), ('reactivated', again), ('expansion', more), ('contraction', less),
    ('churn', gone)
  ) named (figure, value)
  union all select n, '', figure, value from (
    select n, count(*) filter (where paid) as paid, count(*) filter (where pays) as pays,
      count(*) filter (where paid and not pays) as gone
    from (select n, sum(earlier) > 0 as paid, sum(later) > 0 as pays from moved group by n, who) people group by n
  ) counts cross join lateral (values ('payingAtStart', paid), ('paying', pays), ('churned', gone)) named (figure, value)`
}

/** What was last said of subscriptions that are worth something. */
const OF_STANDING = sql`
  select n, currency, case type when 'cancelled' then 'leaving' else 'atRisk' end, sum(monthly)
    from standing where type in ('cancelled', 'payment_failed') group by n, currency, type
  union all select n, '', 'pastDue', count(distinct who) from standing where type = 'payment_failed' group by n
  union all select n, '', 'plan:' || plan_id, count(*)
    from (select distinct n, who, coalesce(plan_id, 0) as plan_id from standing) people group by n, plan_id`

/** Trials by the month of their begin, and whether their person, who has one only, was charged in time. */
function ofTrials(months: Months): SQL {
  const { end, monthOf, endsWithin, isRead } = timesOf(months)
  return sql`
  select n, '', figure, value from (
    select n, count(*) as begun, count(*) filter (where is_paid) as paid,
      count(*) filter (where not is_paid and tried > ${end}) as open
    from (
      select ${monthOf('begins')} as n, tried,
        exists (select from unnest(charges) charge where charge >= begins and charge < tried) as is_paid
      from (
        select max(begins) as begins, max(ends) + interval '14 days' as tried, array_agg(paid) as charges
        from (
          select who, begins, ends, null as paid from trials
          union all select who, null, null, occurred_at from facts where type = 'charged' and ${isRead('occurred_at')}
        ) lives group by who
      ) people where ${isRead('begins')}
    ) begun where n > 0 group by n
  ) counts cross join lateral (values ('trialsBegun', begun), ('trialsPaid', paid), ('trialsOpen', open)) named (figure, value)
  union all select n, '', 'trials', count(*)
    from (select ${endsWithin('begins', 'ends')} as n from trials where ${isRead('begins')}) running where n > 0 group by n`
}

const ofFailures = (months: Months) => sql`
  select n, '', case type when 'paid' then 'recovered' else 'failed' end, count(*) from facts
    where n > 0 and ${timesOf(months).isRead('occurred_at')} and ((type = 'payment_failed'
      and before is distinct from 'payment_failed') or (type = 'paid' and before = 'payment_failed')) group by n, type`
