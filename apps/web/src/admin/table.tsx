import type { KeyboardEvent, ReactNode } from 'react'
import { Link } from 'react-router'
import { Icon } from '../components/icon.tsx'
import { isFigure, isTrouble, labelOf, type Row, show } from './show.ts'

/** A column: a member of the rows by its name, or with what differs from how such a member is shown anyway. */
export type Column<Shown extends object = Row> =
  | Extract<keyof Shown, string>
  | Readonly<{
      name: Extract<keyof Shown, string>
      label?: string
      /** Name of the order that it stands for, where the list can be sorted by it. */
      sort?: string
      cell?: (row: Shown) => ReactNode
    }>

/** What a table shows. */
export type TableProps<Shown extends object> = {
  /** What the table is, for those who cannot see it. */
  name: string
  rows: readonly Shown[]
  /** All members that any row has, if omitted. */
  columns?: readonly Column<Shown>[] | undefined
  /** Where a row leads: its email is the link. Arrow keys go from one to the next. */
  opens?: ((row: Shown) => string | undefined) | undefined
  /** The order of the rows, and the address of another; `state` goes with it. */
  sorting?: Readonly<{ by: string | undefined; to(sort: string): string; state: unknown }> | undefined
  /** A last cell: what can be done with the row. */
  action?: ((row: Shown) => ReactNode) | undefined
}

type FullColumn<Shown extends object> = Exclude<Column<Shown>, string> & Readonly<{ isFigure: boolean }>

/** Rows as a dense table, which scrolls in itself where the page is narrower. */
export function Table<Shown extends object>(props: TableProps<Shown>) {
  const { name, rows, opens, sorting, action } = props
  const columns = columnsOf(props)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll it where it is wider than the page
    <section className="room-table" aria-label={name} tabIndex={0} onKeyDown={moveToRow}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <Head key={column.name} column={column} sorting={sorting} />
            ))}
            {action ? (
              <th scope="col">
                <span className="unseen">Actions</span>
              </th>
            ) : null}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={String((row as Row).id ?? at)}>
              {columns.map((column) => (
                <td key={column.name} className={lookOf(column, row)}>
                  <Cell column={column} row={row} to={column.name === 'email' ? opens?.(row) : undefined} />
                </td>
              ))}
              {action ? <td className="room-action">{action(row)}</td> : null}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Head<Shown extends object>({
  column,
  sorting,
}: Pick<TableProps<Shown>, 'sorting'> & { column: FullColumn<Shown> }) {
  const { name, sort, label = labelOf(name) } = column
  const isSorted = sort !== undefined && sorting?.by === sort
  return (
    <th
      scope="col"
      className={column.isFigure ? 'room-figure' : undefined}
      aria-sort={isSorted ? (sort === 'email' ? 'ascending' : 'descending') : undefined}
    >
      {sort && sorting ? (
        <Link to={sorting.to(sort)} state={sorting.state} replace>
          {label}
        </Link>
      ) : (
        label
      )}
    </th>
  )
}

function Cell<Shown extends object>({
  column: { name, cell },
  row,
  to,
}: {
  column: FullColumn<Shown>
  row: Shown
  to: string | undefined
}) {
  const value: unknown = row[name]
  // By its name alone: clients and notes can hold addresses too.
  if (name === 'url' && value) return <RecordLink to={String(value)} />
  const shown = cell ? cell(row) : show(name, value, row as Row)
  return to === undefined ? (
    shown
  ) : (
    <Link to={to} data-row>
      {shown}
    </Link>
  )
}

/** A link to the payment provider's page about a row. */
export function RecordLink({ to }: { to: string }) {
  return (
    <a href={to} target="_blank" rel="noopener noreferrer">
      At the provider <Icon name="external" size={13} />
    </a>
  )
}

/** Characters up to which a cell stays in one line. */
const LINE = 44

function lookOf<Shown extends object>({ name, isFigure: isNumber }: FullColumn<Shown>, row: Shown): string {
  const looks = isNumber ? ['room-figure num'] : []
  if (show(name, row[name], row as Row).length > LINE) looks.push('room-text')
  if (isTrouble(name, row[name])) looks.push('room-trouble')
  return looks.join(' ')
}

function columnsOf<Shown extends object>({ columns, rows }: TableProps<Shown>): FullColumn<Shown>[] {
  const all = Object.keys(rows[0] ?? {}) as Extract<keyof Shown, string>[]
  const wanted = columns ?? all.filter((name) => rows.some((row) => row[name] !== null))
  return wanted.map((wish) => {
    const column = typeof wish === 'string' ? { name: wish } : wish
    return { ...column, isFigure: rows.some((row) => isFigure(column.name, row[column.name])) }
  })
}

/** Arrow keys go from one row's link to the next one's. */
function moveToRow(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (step === undefined) return
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>('td a[data-row]')]
  const at = links.indexOf(document.activeElement as HTMLElement)
  const next = links[at + step]
  if (at < 0 || !next) return
  event.preventDefault()
  next.focus()
}
