import { isTrouble, labelOf, type Row, show } from './show.ts'
import { Table } from './table.tsx'

/** How a member that a page draws itself is drawn; null leaves it out. */
type Drawn = Readonly<Record<string, ((value: never, row: Row) => React.ReactNode) | null>>

/**
 * A row whose members are parts: first its figures, each above its name, then what has members of its own, lists as tables.
 * What is null is left out: it does not exist here.
 */
export function Facts({ row, drawn = {} }: { row: object; drawn?: Drawn }) {
  const members = Object.entries(row).filter(([name, value]) => value !== null && drawn[name] !== null)
  const isPart = ([name, value]: Member) => name in drawn || (typeof value === 'object' && !isWords(value))
  const isEmpty = ([, value]: Member) => Array.isArray(value) && value.length === 0
  const figures = members.filter((member) => !isPart(member) && !isEmpty(member))
  const empty = members
    .filter((member) => isEmpty(member) && member[0] !== 'missing')
    .map(([name]) => `no ${labelOf(name).toLowerCase()}`)
    .join(', ')
  return (
    <>
      {figures.length > 0 ? <Figures members={figures} row={row as Row} /> : null}
      <div className="room-grid">
        {members
          .filter((member) => isPart(member) && !isEmpty(member))
          .map(([name, value]) => (
            <section key={name} className={Array.isArray(value) ? 'room-part room-wide' : 'room-part'}>
              <h3>{labelOf(name)}</h3>
              {drawn[name]?.(value as never, row as Row) ?? <PartOf name={name} value={value as object} />}
            </section>
          ))}
      </div>
      {empty === '' ? null : <p className="room-note third">N{empty.slice(1)}.</p>}
    </>
  )
}

type Member = readonly [name: string, value: unknown]

const isWords = (value: unknown) => Array.isArray(value) && typeof value[0] !== 'object'

function PartOf({ name, value }: { name: string; value: object }) {
  return Array.isArray(value) ? <Table name={labelOf(name)} rows={value} /> : <Facts row={value} />
}

function Figures({ members, row }: { members: readonly Member[]; row: Row }) {
  return (
    <dl className="room-figures">
      {members.map(([name, value]) => (
        <div key={name}>
          <dt>{labelOf(name)}</dt>
          <dd
            className={isTrouble(name, value) ? 'num room-trouble' : typeof value === 'number' ? 'num' : ''}
          >
            {show(name, value, row)}
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** Parts of the service by their name, as words. */
export function upOrAway(parts: Readonly<Record<string, boolean>>) {
  const words = Object.entries(parts).map(([part, isUp]) => [part, isUp ? 'up' : 'away'])
  return <Facts row={Object.fromEntries(words)} />
}
