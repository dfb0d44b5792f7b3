import type { InputOf, RowOf, VerbName } from '@pairwire/contract/operator'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Button } from '../components/button.tsx'
import { FieldError } from '../components/field.tsx'
import { Panel } from '../components/panel.tsx'
import { Skeleton, useLate } from '../components/skeleton.tsx'
import { rowsQuery } from './room-data.ts'
import { showTime } from './show.ts'

const KEPT = { staleTime: Number.POSITIVE_INFINITY, gcTime: Number.POSITIVE_INFINITY }

/** What a part of a page shows, and when. */
export type PartProps<Name extends VerbName> = {
  title: string
  name: Name
  input: InputOf<Name>
  isLive?: boolean
  /** Whether they are asked for once, and stay until somebody asks again. */
  isKept?: boolean
  /** Whether the rows of the input before stay until those of another one have come. */
  isSteady?: boolean
  aside?: ReactNode
  /** Says what to do while there are no rows. */
  empty: ReactNode
  children: (rows: readonly RowOf<Name>[]) => ReactNode
}

/**
 * A part of a page with rows of a verb. Each asks for itself: one that does not answer says so, and the others are shown. When
 * the server goes away, it keeps its last figures and says since when.
 */
export function Part<Name extends VerbName>(props: PartProps<Name>) {
  const { title, name, input, isLive = false, aside, empty, children } = props
  const query = useInfiniteQuery({
    ...rowsQuery(name, input, { isLive }),
    ...(props.isSteady && { placeholderData: keepPreviousData }),
    ...(props.isKept && KEPT),
  })
  const { data, error, isPending, dataUpdatedAt, hasNextPage, isFetchingNextPage } = query
  const rows = data?.pages.flatMap((page) => page.rows)
  const missing = data?.pages.flatMap((page) => page.missing ?? []) ?? []
  return (
    <Panel title={title} aside={aside}>
      <div role="status">
        {isPending ? <Waiting title={title} /> : null}
        {missing.length > 0 ? (
          <p className="room-note room-trouble">No answer from {missing.join(', ')}.</p>
        ) : null}
      </div>
      <div role="alert">
        {error ? (
          <div className="room-note">
            <FieldError>
              {error.message}
              {data
                ? ` These are the figures of ${showTime(new Date(dataUpdatedAt).toISOString())} UTC.`
                : ''}
            </FieldError>
          </div>
        ) : null}
      </div>
      {rows?.length === 0 ? <p className="room-note second">{empty}</p> : null}
      {rows && rows.length > 0 ? children(rows) : null}
      {hasNextPage ? (
        <p className="room-note">
          <Button busy={isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            Show 50 more
          </Button>
        </p>
      ) : null}
    </Panel>
  )
}

/** Milliseconds in which a part answers, or is named as one that does not. */
const LATE_MS = 1_500

function Waiting({ title }: { title: string }) {
  const isLate = useLate(LATE_MS)
  return (
    <div className="room-note">
      {isLate ? (
        <p className="room-trouble">{title}: no answer yet.</p>
      ) : (
        <Skeleton width="60%" height={20} />
      )}
    </div>
  )
}
