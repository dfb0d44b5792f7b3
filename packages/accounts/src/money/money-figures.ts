import { type SQL, sql } from 'drizzle-orm'
import { billingEvents, formerPeople, orderEvents, orders, subscriptions } from '../database/schema.ts'

/** The months that are read, numbered from 1, by their first moments; and the moment up to which they are. */
export type Months = Readonly<{ begins: readonly Date[]; until: Date }>

/**
 * The figures of one month's plans, as rows `n`, which is 1, `currency` (empty for counts), `figure` and `value`. They follow
 * from what happened up to `until` alone. What lasts is found by an index; what a person was before, for each who comes.
 */
export function figuresOfPlans(begin: Date, until: Date): SQL {
  const months = { begins: [begin], until }
  const { end, isRead } = timesOf(months)
  const begins = sql`${begin.toISOString()}::timestamptz`
  return sql`
    with lasting as materialized (
      select provider, subscription_id, coalesce(person, account_id) as who, type, plan_id, monthly, ${AT} as at, ${ENDS} as ends,
        coalesce(payout_currency, currency) as currency
      from ${billingEvents} where (monthly > 0 or type in (${STATES})) and ${ENDS} >= ${begins} and ${isRead(AT)} and ${IS_OWNED}
    ),
    moved as materialized (
      select who, currency, coalesce(earlier, 0) as earlier, coalesce(later, 0) as later, is_known
      from (
        select who, currency, sum(monthly) filter (where at < ${begins}) as earlier, sum(monthly) filter (where ends > ${end}) as later
        from lasting where monthly > 0 and at < ends group by 1, 2
      ) ends left join lateral (
        select bool_or(monthly > 0 and ${AT} < least(ends_at, ${begins}) and coalesce(payout_currency, own.currency) = ends.currency) as is_known
        from ${billingEvents} own where earlier is null and (account_id = who or person = who)
      ) known on true
      where earlier > 0 or later > 0
    ),
    standing as materialized (
      select who, max(currency) filter (where monthly > 0) as currency, max(monthly) as monthly,
        max(type) filter (where type <> 'charged') as type, max(plan_id) filter (where type <> 'charged') as plan_id
      from lasting where ends > ${end} and at < ends
      group by provider, subscription_id, who having max(monthly) > 0
    )
    select n, currency, figure, sum(value)::text as value from (
      select 1 as n, currency, figure, value from (${OF_MOVEMENTS} union all ${OF_STANDING}) ends
      union all ${ofFailures(months)}
      union all ${takings(billingEvents, months, { gross: 'gross', tax: 'tax', refunds: 'refunds', fees: 'fees' })}
    ) figures where value <> 0 group by 1, 2, 3`
}

/** The same of all orders of history, also of those whose account is gone. */
export function figuresOfOrders(months: Months): SQL {
  const names = { gross: 'orderGross', tax: 'orderTax', refunds: 'orderRefunds', fees: 'orderFees' }
  return sql`
    select n, currency, figure, value::text from (
      ${takings(orderEvents, months, names)}
      union all select n, '', 'orders', count(*) from (${happened(orderEvents, months, sql`type = 'charged'`)}) charges group by n
    ) figures where value <> 0`
}

/** Trials by the month of their begin, and whether their person, who has one only, was charged in time. */
export function figuresOfTrials(months: Months): SQL {
  const { end, monthOf, isRead, beginnings } = timesOf(months)
  const lastMonth = sql`case when ends > ${end} then ${months.begins.length} else ${monthOf(sql`ends`)} - 1 end`
  return sql`
    with trials as materialized (
      select account_id as who, started_at as begins, coalesce(ended_at, ends_at) as ends from ${subscriptions} where kind = 'trial'
      union all select person, trial_started_at, trial_ended_at from ${formerPeople} where trial_started_at is not null
    )
    select n, '' as currency, figure, value::text from (
      select n, count(*) as begun, count(*) filter (where is_paid) as paid,
        count(*) filter (where not is_paid and ends + interval '14 days' > ${end}) as open
      from (
        select ${monthOf(sql`begins`)} as n, ends, coalesce(is_paid, false) as is_paid from trials cross join lateral (
          select bool_or(type = 'charged' and occurred_at >= begins and occurred_at < ends + interval '14 days'
            and ${isRead(sql`occurred_at`)}) as is_paid
          from ${billingEvents} where account_id = who or person = who
        ) paid where begins >= (${beginnings})[1] and ${isRead(sql`begins`)}
      ) begun group by n
    ) counts cross join lateral (values ('trialsBegun', begun), ('trialsPaid', paid), ('trialsOpen', open)) named (figure, value)
    where value > 0
    union all select n, '', 'trials', count(*)::text from (
      select generate_series(${monthOf(sql`begins`)}, ${lastMonth}) as n from trials where ${isRead(sql`begins`)}
    ) running where n > 0 group by n`
}

/** When a report begins to hold, and until when; as in the index for both. */
const AT = sql.raw(`coalesce("from", occurred_at)`)
const ENDS = sql.raw(`coalesce(ends_at, 'infinity')`)

const IS_OWNED = sql.raw('coalesce(person, account_id) is not null')

/** Types of reports that say how a subscription stands, and of those that give money back. */
const STATES = sql.raw(`'paid', 'payment_failed', 'cancelled', 'ended'`)
const REFUNDS = sql.raw(`'refunded', 'refunded_in_part', 'charged_back'`)

/** The sums of a report in the currency of the payout, where it names one, else in its own. */
const IN_ONE_CURRENCY = sql.raw(
  ['amount', 'tax', 'fee']
    .map((sum) => `case when payout_currency is null then ${sum} else payout_${sum} end as ${sum}`)
    .concat('coalesce(payout_currency, currency) as currency')
    .join(', '),
)

/**
 * Times as numbers of months. A search in their beginnings instead of a join: the database cannot know how large a set of a
 * with-query is, and compares each with each.
 */
function timesOf({ begins, until }: Months) {
  const beginnings = sql`${sql.param(begins.map((begin) => begin.toISOString()))}::timestamptz[]`
  const end = sql`${until.toISOString()}::timestamptz`
  return {
    beginnings,
    end,
    /** The month of a time; 0 before the first. */
    monthOf: (time: SQL) => sql`width_bucket(${time}, ${beginnings})`,
    isRead: (time: SQL) => sql`${time} <= ${end}`,
  }
}

type Reports = typeof billingEvents | typeof orderEvents

/** What was reported within the months and somebody's, or an order's. */
function happened(table: Reports, months: Months, is: SQL): SQL {
  const { beginnings, monthOf, isRead } = timesOf(months)
  const isKnown =
    table === billingEvents
      ? IS_OWNED
      : sql`exists (select from ${orders} where provider = said.provider and transaction_id = said.transaction_id)`
  return sql`select *, ${monthOf(sql`occurred_at`)} as n from ${table} said
    where ${is} and occurred_at >= (${beginnings})[1] and ${isRead(sql`occurred_at`)} and ${isKnown}`
}

/** Money that moved in each month, under these names of figures. A refund counts once; without a sum it is of the whole. */
function takings(
  table: Reports,
  months: Months,
  names: Readonly<Record<'gross' | 'tax' | 'refunds' | 'fees', string>>,
): SQL {
  const isSame = sql`same.provider = refund.provider and same.transaction_id = refund.transaction_id ${
    table === billingEvents ? sql`and same.subscription_id = refund.subscription_id` : sql``
  }`
  return sql`
    select n, currency, figure, value from (
      select n, currency, sum(amount) as gross, sum(tax) as tax, sum(fee) as fees from (
        select n, ${IN_ONE_CURRENCY} from (${happened(table, months, sql`type = 'charged'`)}) charges
      ) sums group by 1, 2
    ) taken cross join lateral (values (${names.gross}, gross), (${names.tax}, tax), (${names.fees}, fees)) named (figure, value)
    union all select n, coalesce(refund.currency, paid.currency), ${names.refunds},
        sum(case type when 'refunded_in_part' then refund.amount else coalesce(refund.amount, paid.amount) end)
      from (
        select n, provider, ${table === billingEvents ? sql`subscription_id,` : sql``} transaction_id, id, adjustment_id, type, ${IN_ONE_CURRENCY}
        from (${happened(table, months, sql`type in (${REFUNDS}) and type <> 'charged'`)}) refunds
      ) refund cross join lateral (
        select max(amount) as amount, max(currency) as currency, (array_agg(id order by occurred_at, id) filter (where is_it))[1] as first
        from (
          select id, occurred_at, type in (${REFUNDS}) and coalesce(adjustment_id, id) = coalesce(refund.adjustment_id, refund.id) as is_it,
            case type when 'charged' then own.amount end as amount, case type when 'charged' then own.currency end as currency
          from ${table} same cross join lateral (select ${IN_ONE_CURRENCY}) own where ${isSame}
        ) said
      ) paid where paid.first = refund.id and paid.amount is not null group by 1, 2`
}

/** What became of each person from one month's end to the next. */
const OF_MOVEMENTS = sql`
  select currency, figure, value from (
    select currency, sum(earlier) as earlier, sum(later) as later,
      sum(later) filter (where earlier = 0 and is_known is not true) as begun,
      sum(later) filter (where earlier = 0 and is_known) as again,
      sum(later - earlier) filter (where earlier > 0 and later > earlier) as more,
      sum(earlier - later) filter (where later > 0 and later < earlier) as less,
      sum(earlier) filter (where later = 0) as gone
    from moved group by 1
  ) sums cross join lateral (values
    ('start', earlier), ('mrr', later), ('new', begun), ('reactivated', again), ('expansion', more), ('contraction', less),
    ('churn', gone)
  ) named (figure, value)
  union all select '', figure, value from (
    select count(*) filter (where paid) as paid, count(*) filter (where pays) as pays,
      count(*) filter (where paid and not pays) as gone
    from (select sum(earlier) > 0 as paid, sum(later) > 0 as pays from moved group by who) people
  ) counts cross join lateral (values ('payingAtStart', paid), ('paying', pays), ('churned', gone)) named (figure, value)`

/** What was last said of subscriptions that are worth something. */
const OF_STANDING = sql`
  select currency, case type when 'cancelled' then 'leaving' else 'atRisk' end, sum(monthly)
    from standing where type in ('cancelled', 'payment_failed') group by currency, type
  union all select '', 'pastDue', count(distinct who) from standing where type = 'payment_failed'
  union all select '', 'plan:' || plan_id, count(*)
    from (select distinct who, coalesce(plan_id, 0) as plan_id from standing) people group by plan_id`

const ofFailures = (months: Months) => sql`
  select n, '', figure, value from (
    select n, count(*) filter (where type = 'payment_failed' and before is distinct from 'payment_failed') as failed,
      count(*) filter (where type = 'paid' and before = 'payment_failed') as recovered
    from (${happened(billingEvents, months, sql`type <> 'charged'`)}) said group by n
  ) counts cross join lateral (values ('failed', failed), ('recovered', recovered)) named (figure, value)`
