import type { ReactNode } from 'react'

type FiguresTableProps = {
  caption?: string
  columns: readonly string[]
  /** The cells of each row; the first one names it. */
  rows: readonly (readonly ReactNode[])[]
}

/** The numbers of a drawing as a table. */
export function FiguresTable({ caption, columns, rows }: FiguresTableProps) {
  return (
    <table>
      {caption ? <caption className="unseen">{caption}</caption> : null}
      <thead>
        <tr>
          {columns.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="num">
        {rows.map(([name, ...cells], row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows are identified only by their position
          <tr key={row}>
            <th scope="row">{name}</th>
            {cells.map((cell, column) => (
              <td key={columns[column + 1]}>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Where such tables scroll, also by keyboard. */
export function FiguresRegion(props: { label: string; className?: string; children: ReactNode }) {
  const { label, className = '', children } = props
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className={`figures-table ${className}`} aria-label={label} tabIndex={0}>
      {children}
    </section>
  )
}
