import type { RowOf } from '@pairwire/contract/operator'
import { Page } from '../../components/page.tsx'
import { Facts, upOrAway } from '../facts.tsx'
import { Part } from '../part.tsx'
import { showMoney } from '../show.ts'
import { Table } from '../table.tsx'

type Overview = RowOf<'overview show'>

/** /admin: how the service and the business stand now. */
export default function OverviewPage() {
  return (
    <Page title="Overview">
      <Part title="Alarms" name="alarms list" input={{}} isLive empty="There are no alarms.">
        {(rows) => {
          const standing = rows.filter(({ state }) => state !== 'quiet')
          return standing.length === 0 ? (
            <p className="room-note second">No alarm stands.</p>
          ) : (
            <Table name="Alarms" rows={standing} columns={['name', 'state', 'since', 'sentence', 'toldAt']} />
          )
        }}
      </Part>
      <Part title="Now" name="overview show" input={{}} isLive empty="The service says nothing.">
        {([row]) => <Facts row={row!} drawn={DRAWN} />}
      </Part>
    </Page>
  )
}

const DRAWN = {
  parts: upOrAway,
  money: ({ mrr, ...people }: NonNullable<Overview['money']>) => {
    const sums = Object.entries(mrr).map(([currency, sum]) => showMoney(sum, currency))
    return <Facts row={{ mrr: sums.join(', ') || '0', ...people }} />
  },
  acts: (acts: Overview['acts']) => (
    <Table name="Last acts" rows={acts} columns={['at', 'actor', 'verb', 'changes', 'outcome']} />
  ),
}
