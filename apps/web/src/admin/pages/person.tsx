import { type RowOf, VERBS, type VerbName } from '@pairwire/contract/operator'
import { DAY_MS } from '@pairwire/contract/time-units'
import type { UsageDay } from '@pairwire/contract/usage'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from 'react-router'
import { Page } from '../../components/page.tsx'
import { DayChart } from '../../features/usage/day-chart.tsx'
import { DayFaces } from '../../features/usage/day-faces.tsx'
import { Facts } from '../facts.tsx'
import { Part } from '../part.tsx'
import { rowsQuery } from '../room-data.ts'
import { RecordLink } from '../table.tsx'
import { TablePart } from '../table-part.tsx'
import { VerbButton } from '../verb-button.tsx'
import { VerbForm } from '../verb-form.tsx'
import '../../features/usage/usage-panel.css'

/** Every verb that changes something for one person, in the registry's order. */
const FORMS = (Object.keys(VERBS) as VerbName[]).filter((name) => {
  const { access, input } = VERBS[name]
  return (access === 'write' || access === 'grave') && 'who' in input.shape
})

/** /admin/people/<id>: all that is known of one person, and every verb as a form. */
export default function PersonPage() {
  const { id = '' } = useParams()
  const navigate = useNavigate()
  const { data } = useInfiniteQuery(rowsQuery('account details', { who: id }))
  const person = data?.pages[0]?.rows[0]
  const needless = person?.suspension ? 'account suspend' : 'account unsuspend'
  return (
    <Page title={person?.email ?? 'Person'} windowTitle="Person">
      <div className="room-columns">
        <div className="room-parts">
          <Part
            title="Plan, use and mistakes"
            name="account details"
            input={{ who: id }}
            empty="There is no such account any more."
          >
            {([row]) => <Facts row={row!} drawn={DRAWN} />}
          </Part>
          <TablePart
            title="Open connections"
            name="connections list"
            input={{ account: id }}
            isLive
            empty="None is open now."
            columns={STREAMS}
            action={(row) => (
              <VerbButton
                name="connections close"
                input={{ id: row.id }}
                label="Close"
                what={`the connection from ${row.address}`}
              />
            )}
          />
          <Lists id={id} />
        </div>
        <div className="room-forms">
          {FORMS.filter((name) => name !== needless).map((name) => (
            <VerbForm
              key={name}
              name={name}
              given={{ who: id, ...(name === 'account sessions' && { end: true }) }}
              onDone={() => name === 'account delete' && navigate('/people', { replace: true })}
            />
          ))}
          <VerbForm name="connections close" given={{ account: id, id: undefined }} />
        </div>
      </div>
    </Page>
  )
}

/** What stands in lists of its own. */
function Lists({ id }: { id: string }) {
  const account = { account: id }
  const nothing = 'No operator has done anything here.'
  return (
    <>
      <TablePart title="Payments" name="payments list" input={account} columns={PAYMENTS} />
      <TablePart title="Orders of history" name="order list" input={account} columns={ORDERS} />
      <TablePart title="Webhooks" name="webhook list" input={{ who: id }} columns={WEBHOOKS} />
      <TablePart title="Mails" name="mail list" input={account} empty="None in 90 days." columns={MAILS} />
      <TablePart title="Notes" name="account notes" input={{ who: id }} empty="None. Write one down here." />
      <TablePart title="Acts" name="acts list" input={account} empty={nothing} columns={ACTS} />
    </>
  )
}

const STREAMS = [
  'queuedBytes',
  'sentEvents',
  'faults',
  'openedAt',
  'address',
  'client',
  'subscriptions',
] as const
const PAYMENTS = ['amount', 'paidAt', 'plan', 'orderId', 'from', 'until', 'refunded', 'url'] as const
const ORDERS = ['id', 'usd', 'offer', 'status', 'createdAt', 'paidAt', 'downloadedHours'] as const
const WEBHOOKS = ['id', 'url', 'kind', 'state', 'behindMs', 'counters', 'lastAttempt'] as const
const MAILS = ['createdAt', 'template', 'to', 'state', 'attempts', 'sentAt'] as const
const ACTS = ['at', 'actor', 'verb', 'reason', 'changes', 'outcome', 'via', 'address'] as const

type Person = RowOf<'account details'>

const DRAWN = {
  ...{ id: null, email: null, open: null, missing: null },
  suspension: (suspension: NonNullable<Person['suspension']>, row: unknown) => (
    <>
      <Facts row={suspension} />
      {(row as Person).subscriptions.filter(isBilled).map(({ plan, url, startedAt }) => (
        <p key={startedAt} className="room-note room-trouble">
          Billing for {plan} goes on until it is cancelled. {url && <RecordLink to={url} />}
        </p>
      ))}
    </>
  ),
  usage: (days: UsageDay[]) => (
    <div className="room-note">
      <DayChart days={everyDay(days)} />
      <DayFaces days={everyDay(days)} />
    </div>
  ),
}

/** Whether the provider goes on charging for it. */
function isBilled({ kind, cancelledAt, endedAt }: Person['subscriptions'][number]): boolean {
  return kind === 'paid' && cancelledAt === null && endedAt === null
}

/** The last 30 days in UTC, also those without events. */
function everyDay(known: readonly UsageDay[]): UsageDay[] {
  return Array.from({ length: 30 }, (_, index) => {
    const day = new Date(Date.now() - (29 - index) * DAY_MS).toISOString().slice(0, 10)
    return known.find((one) => one.day === day) ?? { day, newPairs: 0, buys: 0, sells: 0 }
  })
}
