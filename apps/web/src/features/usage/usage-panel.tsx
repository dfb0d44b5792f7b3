import type { UsageDay } from '@pairwire/contract'
import { type ComponentType, useState } from 'react'
import { readUsage, type UsageView } from '../../api/use-usage.ts'
import { Button, LinkButton } from '../../components/button.tsx'
import { EventGlyph } from '../../components/icon.tsx'
import { passFocus } from '../../components/page.tsx'
import { Panel } from '../../components/panel.tsx'
import { TableSwitch } from '../../components/table-switch.tsx'
import { formatNumber } from '../../locale/locale.ts'
import { ConnectionStrip } from './connection-strip.tsx'
import { shortCount } from './short-count.ts'
import type { UsageDaysProps } from './usage-days.tsx'
import './usage-panel.css'

/** What was sent to the account: today as four figures, 30 days as bars, and when a client was connected. */
export function UsagePanel({
  usage,
  hasPlan,
  Days,
}: {
  usage: UsageView
  hasPlan: boolean
  Days: ComponentType<UsageDaysProps>
}) {
  const [asTable, setAsTable] = useState(false)
  if (usage.state !== 'ready') {
    return (
      <Panel className="usage" aria-label="Usage" aria-busy={usage.state === 'reading'}>
        {usage.state === 'failed' ? (
          <div className="empty-frame usage-empty" ref={passFocus}>
            <p>Your usage did not load.</p>
            <Button onClick={readUsage}>Try again</Button>
          </div>
        ) : null}
      </Panel>
    )
  }

  const { days, connections } = usage
  const isUnused = days.every((day) => eventsOf(day) === 0) && (connections?.spans.length ?? 0) === 0
  const today = days.at(-1) ?? { newPairs: 0, buys: 0, sells: 0 }
  return (
    <Panel className="usage" aria-label="Usage">
      <dl className="usage-today num">
        <Figure label="Events today" value={eventsOf(today)} />
        <Figure label="Buy" glyph="buy" value={today.buys} />
        <Figure label="Sell" glyph="sell" value={today.sells} />
        <Figure label="New pairs" glyph="pair" value={today.newPairs} />
      </dl>
      {isUnused ? (
        <div className="empty-frame usage-empty">
          {hasPlan ? (
            <>
              <p>No events yet. Start a stream in the Test Console.</p>
              <LinkButton icon="console" to="/dashboard/console">
                Start a stream
              </LinkButton>
            </>
          ) : (
            <p>No events yet. You need a plan to receive some.</p>
          )}
        </div>
      ) : (
        <>
          <Days days={days} spans={connections?.spans ?? []} asTable={asTable} />
          <div className="usage-switch">
            <TableSwitch isTable={asTable} onPress={() => setAsTable(!asTable)} />
          </div>
          {connections ? <ConnectionStrip connections={connections} /> : null}
        </>
      )}
    </Panel>
  )
}

function eventsOf({ newPairs, buys, sells }: Omit<UsageDay, 'day'>): number {
  return newPairs + buys + sells
}

function Figure({ label, glyph, value }: { label: string; glyph?: 'buy' | 'sell' | 'pair'; value: number }) {
  return (
    <div>
      <dt className={glyph ? `usage-${glyph}` : undefined}>
        {glyph ? <EventGlyph name={glyph} /> : null}
        {label}
      </dt>
      <dd title={formatNumber(value)}>{shortCount(value)}</dd>
    </div>
  )
}
