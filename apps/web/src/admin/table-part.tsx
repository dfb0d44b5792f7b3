import type { RowOf, VerbName } from '@pairwire/contract/operator'
import { Part, type PartProps } from './part.tsx'
import { Table, type TableProps } from './table.tsx'

type TablePartProps<Name extends VerbName> = Omit<PartProps<Name>, 'children' | 'empty'> &
  Partial<Pick<PartProps<Name>, 'empty'>> &
  Pick<TableProps<RowOf<Name> & object>, 'columns' | 'opens' | 'action'>

/** A part whose rows stand in one table, which has the part's title. */
export function TablePart<Name extends VerbName>({ columns, opens, action, ...props }: TablePartProps<Name>) {
  // The type of rest properties of a generic type says less than they hold.
  const part = { empty: 'None.', ...props } as Omit<PartProps<Name>, 'children'>
  const table = { name: props.title, columns, opens, action }
  return (
    <Part {...part}>{(rows) => <Table {...table} rows={rows as readonly (RowOf<Name> & object)[]} />}</Part>
  )
}
