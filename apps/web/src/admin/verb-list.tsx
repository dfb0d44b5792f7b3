import { type InputOf, type ListName, type RowOf, VERBS } from '@pairwire/contract/operator'
import { type FormEvent, useEffect, useRef } from 'react'
import { useLocation, useNavigate, useSearchParams } from 'react-router'
import { useCall } from '../api/use-call.ts'
import { Button } from '../components/button.tsx'
import { ActionError, Field } from '../components/field.tsx'
import { Part } from './part.tsx'
import { saveCsv, useMay } from './room-data.ts'
import { type Column, Table } from './table.tsx'
import { VerbControl } from './verb-control.tsx'
import { fieldsOf, readField, type VerbField } from './verb-fields.ts'

type VerbListProps<Name extends ListName> = {
  name: Name
  title: string
  /** Members of the input that the page knows. */
  given?: object
  columns?: readonly Column<RowOf<Name>>[]
  isLive?: boolean
  empty: string
  opens?: (row: RowOf<Name>) => string | undefined
  action?: (row: RowOf<Name>) => React.ReactNode
  /** Draws the rows, instead of one table. */
  children?: (rows: readonly RowOf<Name>[]) => React.ReactNode
}

/**
 * A list with its filters. Choices, moments and the order stand in the address; what is typed to find somebody never does: it
 * may be a key, so it goes with the history entry.
 */
export function VerbList<Name extends ListName>(props: VerbListProps<Name>) {
  const { name, title, isLive, empty, given, children, ...table } = props
  const [params, setParams] = useSearchParams()
  const { state } = useLocation()
  const may = useMay()
  const csv = useCall(saveCsv)
  const fields = fieldsOf(name, ['sort'])
  const sort = params.get('sort')
  const inAddress = fields.map(({ name, kind }) => [name, readField(kind, params.get(name) ?? '')])
  const typed = fields.map(({ name, kind }) => [name, kind === 'text' ? state?.[name] : undefined])
  const input = {
    ...given,
    ...Object.fromEntries([...inAddress, ...typed].filter(([, value]) => value !== undefined)),
    ...(sort && { sort }),
  }
  // What a page shows at once does not cut what is saved.
  const whole = { ...input, limit: undefined }
  const set = (member: string, value: string) => {
    const next = new URLSearchParams(params)
    if (value === '') next.delete(member)
    else next.set(member, value)
    return next
  }
  return (
    <>
      <div className="room-filters">
        {fields.map((field) =>
          field.kind === 'text' ? (
            <Search key={field.name} field={field} />
          ) : (
            <VerbControl
              key={field.name}
              field={field}
              value={params.get(field.name) ?? ''}
              onChange={(value) => setParams(set(field.name, value), { replace: true, state })}
            />
          ),
        )}
        {VERBS[name].hasCsv && may.export ? (
          <Button busy={csv.busy !== undefined} onClick={() => csv.run(name, whole)}>
            Save as CSV
          </Button>
        ) : null}
        <ActionError>{csv.failure?.error.message}</ActionError>
      </div>
      <Part
        title={title}
        name={name}
        input={input as InputOf<Name>}
        isLive={isLive ?? false}
        isSteady
        empty={empty}
      >
        {(rows) =>
          children?.(rows) ?? (
            <Table
              name={title}
              rows={rows as readonly (RowOf<Name> & object)[]}
              {...(table as object)}
              sorting={{ by: params.get('sort') ?? undefined, to: (sort) => `?${set('sort', sort)}`, state }}
            />
          )
        }
      </Part>
    </>
  )
}

/** Searches on Enter; `/` leads here from anywhere on the page, and the arrow down from here to the first row. */
function Search({ field: { name, label } }: { field: VerbField }) {
  const input = useRef<HTMLInputElement>(null)
  const navigate = useNavigate()
  const { search, state } = useLocation()
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== '/' || (event.target as Element).closest('input, textarea, select')) return
      event.preventDefault()
      input.current?.focus()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const typed = input.current?.value.trim() ?? ''
    navigate({ search }, { replace: true, state: typed === '' ? null : { [name]: typed } })
  }
  return (
    <search>
      <form onSubmit={submit}>
        <Field label={label}>
          {(ids) => (
            <input
              {...ids}
              ref={input}
              className="input"
              type="search"
              defaultValue={(state as Record<string, string> | null)?.[name] ?? ''}
              placeholder="Email, id or key"
              autoComplete="off"
              onKeyDown={(event) => {
                if (event.key !== 'ArrowDown') return
                event.preventDefault()
                document.querySelector<HTMLElement>('.room-table a[data-row]')?.focus()
              }}
            />
          )}
        </Field>
      </form>
    </search>
  )
}
