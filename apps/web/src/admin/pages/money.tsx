import type { MoneyRow } from '@pairwire/contract/operator'
import { planById } from '@pairwire/contract/plans'
import { Page } from '../../components/page.tsx'
import { NOTHING } from '../show.ts'
import { type Column, Table } from '../table.tsx'
import { TablePart } from '../table-part.tsx'
import { VerbForm } from '../verb-form.tsx'
import { VerbList } from '../verb-list.tsx'

/** What a month's figures say, table by table. */
const TABLES: readonly (readonly [title: string, columns: readonly Column<MoneyRow>[]])[] = [
  [
    'Monthly recurring revenue',
    [
      ...(['month', 'currency', 'mrr', 'start', 'new', 'reactivated', 'expansion'] as const),
      ...(['contraction', 'churn', 'leaving', 'atRisk'] as const),
    ],
  ],
  [
    'People, all currencies',
    [
      ...(['month', 'paying', 'payingAtStart', 'churned', 'churnShare', 'pastDue', 'trials'] as const),
      ...(['trialsBegun', 'trialsPaid', 'trialsOpen', 'conversionShare', 'isSoFar'] as const),
      { name: 'plans', cell: ({ plans }) => planCounts(plans) },
    ],
  ],
  [
    'Payments and orders of history',
    [
      ...(['month', 'currency', 'gross', 'tax', 'refunds', 'fees', 'failed', 'recovered'] as const),
      ...(['orders', 'orderGross', 'orderTax', 'orderRefunds', 'orderFees'] as const),
    ],
  ],
]

/** People by plan id, as the plans are called. */
function planCounts(plans: MoneyRow['plans']): string {
  const counts = Object.entries(plans).map(
    ([id, count]) => `${planById(Number(id))?.name ?? 'other'} ${count}`,
  )
  return counts.join(', ') || NOTHING
}

/** /admin/money: figures by month and currency, and orders of history. */
export default function MoneyPage() {
  return (
    <Page title="Money" aside="Months are UTC. Currencies are never added.">
      {/* The oldest come first, so a page of fewer would lack the month that runs. */}
      <VerbList name="money show" title="By month" given={{ limit: 200 }} empty="No month has figures yet.">
        {(rows) => (
          <div className="room-grid">
            {TABLES.map(([title, columns]) => (
              <section key={title} className="room-part room-wide">
                <h3>{title}</h3>
                <Table name={title} rows={[...rows].reverse()} columns={columns} />
              </section>
            ))}
          </div>
        )}
      </VerbList>
      <VerbList
        name="payments list"
        title="Payments"
        empty="Nobody has paid since then."
        opens={({ accountId }) => (accountId ? `/people/${accountId}` : undefined)}
        columns={[
          ...(['amount', 'tax', 'paidAt', 'email', 'plan', 'orderId'] as const),
          ...(['from', 'until', 'origin', 'refunded', 'url'] as const),
        ]}
      />
      <TablePart
        title="Orders of history"
        name="order list"
        input={{}}
        empty="Nobody has ordered history yet."
        opens={({ accountId }) => `/people/${accountId}`}
        columns={[
          ...(['id', 'usd', 'offer', 'status', 'email'] as const),
          ...(['provider', 'createdAt', 'paidAt', 'downloadedHours'] as const),
        ]}
      />
      <VerbForm name="order refund" />
    </Page>
  )
}
