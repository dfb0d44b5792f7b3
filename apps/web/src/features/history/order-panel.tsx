import {
  HISTORY_OFFERS,
  type Order,
  type OrderWithFiles,
  SAMPLE_ORDER,
} from '@pairwire/contract/history-answers'
import { useState } from 'react'
import { useConfig } from '../../api/config-store.ts'
import { useCall } from '../../api/use-call.ts'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { ActionError } from '../../components/field.tsx'
import { FiguresRegion, FiguresTable } from '../../components/figures-table.tsx'
import { passFocus } from '../../components/page.tsx'
import { formatBytes, formatCount, formatDate } from '../../locale/locale.ts'
import { formatWindow, hourWords } from './history-window.ts'
import { orderCommands } from './order-commands.ts'
import { orderLook } from './order-look.ts'
import { payOrder } from './pay-order.ts'
import { useOrder } from './use-history.ts'

/** One order: its contents, its state, and its commands and files once available. */
export function OrderPanel({ order }: { order: Order }) {
  const { payment, supportEmail } = useConfig()
  const payCall = useCall(payOrder)
  const [open, setOpen] = useState(false)
  const { words, ...look } = orderLook(order)
  const { id, hours, readyHours, downloadedHours, incompleteHours, expiresAt, downloadToken } = order
  const isSample = id === SAMPLE_ORDER
  const name = isSample ? 'Sample' : `Order ${id}`
  const gaps = incompleteHours > 0 ? `, ${incompleteHours} incomplete` : ''
  return (
    <section className="panel order" aria-label={name}>
      <div className="order-head">
        <h2 className="num">{name}</h2>
        {isSample ? null : <span>{HISTORY_OFFERS.find((offer) => offer.id === order.offer)?.label}</span>}
        <DayStrip hours={hours} />
        <Badge {...look}>{words}</Badge>
        {isSample ? null : (
          <span className="num">
            {order.usd} USD, placed {formatDate(order.createdAt)}
          </span>
        )}
        {order.status === 'awaiting_payment' ? (
          <Button
            busy={payCall.busy !== undefined}
            onClick={() => payCall.run(payment, { offer: order.offer, to: order.to })}
          >
            Continue to payment
          </Button>
        ) : null}
        <ActionError>{payCall.failure?.error.message}</ActionError>
      </div>
      <p className="second small" style={{ overflowWrap: 'anywhere' }}>
        {formatWindow(order)}.
        {expiresAt && downloadToken ? ` Can be downloaded until ${formatDate(expiresAt)}.` : ''}
        {order.status === 'failed'
          ? ` ${hours - readyHours} of ${formatCount(hours, 'hour')} missing. Ask for a refund at ${supportEmail}.`
          : ''}
      </p>
      {downloadToken && readyHours > 0 ? (
        <>
          <p className="second small">
            {isSample ? '' : `${downloadedHours} of ${formatCount(hours, 'hour')} downloaded${gaps}. `}
            {formatBytes(order.zipBytes)} as zip, {formatBytes(order.parquetBytes)} as Parquet.
          </p>
          <Commands id={id} token={downloadToken} />
          <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
            <summary className="table-switch">Files by hour</summary>
            {open ? <Files id={id} token={downloadToken} /> : null}
          </details>
        </>
      ) : null}
    </section>
  )
}

/** Days of a month, filled as far as the order reaches. */
function DayStrip({ hours }: { hours: number }) {
  const first = 30 - Math.ceil(hours / 24)
  const days = Array.from({ length: 30 }, (_, day) => day)
  const draw = (some: readonly number[]) => some.map((day) => `M${day * 5} 0h4v14h-4z`).join('')
  return (
    <svg className="order-strip" viewBox="0 0 150 14" aria-hidden="true">
      <path className="hour-field-empty" d={draw(days.slice(0, first))} />
      <path className="hour-field-filled" d={draw(days.slice(first))} />
    </svg>
  )
}

function Commands({ id, token }: { id: number; token: string }) {
  const [shown, setShown] = useState(false)
  const order = { id, origin: window.location.origin }
  const whole = orderCommands(order, token)
  const drawn = shown ? whole : orderCommands(order)
  return (
    <div>
      {drawn.map(({ name, text }, place) => (
        <p key={name} className="order-command">
          <span className="second small">{name}</span>
          <code className="mono small">{text}</code>
          <CopyButton text={whole[place]?.text ?? ''} what={`${name} command`} />
        </p>
      ))}
      <Button size="sm" icon={shown ? 'eyeOff' : 'eye'} aria-pressed={shown} onClick={() => setShown(!shown)}>
        {shown ? 'Hide token' : 'Show token'}
      </Button>
    </div>
  )
}

function Files({ id, token }: { id: number; token: string }) {
  const order = useOrder(id, true)
  if (!order.data)
    return order.isError ? (
      <p role="alert">
        {order.error.message}{' '}
        <Button ref={passFocus} onClick={() => order.refetch()}>
          Try again
        </Button>
      </p>
    ) : (
      <p className="second small">Reading the files.</p>
    )
  return (
    <FiguresRegion className="history-scroll" label="Files by hour">
      <FiguresTable
        columns={['Hour (UTC)', 'File', 'Size', 'sha256']}
        rows={order.data.files.flatMap((hour) => hourRows(hour, token))}
      />
    </FiguresRegion>
  )
}

function hourRows({ hour, complete, files }: OrderWithFiles['files'][number], token: string) {
  return files.map(({ name, bytes, sha256 }) => [
    `${hourWords(hour)}${complete ? '' : ', incomplete'}`,
    <a key={name} href={`/archive/download/${customersName(hour, name)}?token=${token}`}>
      {name.split('.').at(name.endsWith('.parquet') ? -2 : -1)}
    </a>,
    formatBytes(bytes),
    sha256,
  ])
}

/** Returns the name of a downloaded file: that of its hour, and for a table its contents. */
function customersName(hour: string, file: string): string {
  const [kind, ending] = file.split('.').slice(-2)
  return ending === 'parquet' ? `${hour}.${kind}.parquet` : hour
}
