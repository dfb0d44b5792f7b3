import { type InputOf, OperatorSessionAnswer, type RowOf, type VerbName } from '@pairwire/contract/operator'
import { infiniteQueryOptions, queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import { ApiError } from '../api/api-error.ts'
import { readAnswer } from '../api/read-answer.ts'
import { saveFile } from '../features/console/feed/save-file.ts'
import { callRoom, room, SESSION_KEY } from './call-room.ts'
import { withCode } from './code-prompt.tsx'

/** Milliseconds between two looks at what changes by itself, while anybody looks at it. */
const LIVE_MS = 5_000

/** A page of a verb's rows; `next` begins the next one, and `missing` names what did not answer. */
type Answer<Row> = Readonly<{ rows: readonly Row[]; next: string | null; missing?: readonly string[] }>

/** Who is signed in, or was: `isOver` since the session has ended, and the sign-in stands before the page. */
type Session = OperatorSessionAnswer & Readonly<{ isOver?: true }>

const ended = (known: Session | null | undefined): Session | null =>
  known ? { ...known, isOver: true } : null

/** Whether a call failed since nobody is signed in. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiError && error.errorType === 'ERR_LOGIN_REQUIRED'
}

/** Who is signed in, with the own sessions and the verbs that may be used; null for nobody. */
export const sessionQuery = queryOptions({
  queryKey: SESSION_KEY,
  queryFn: async ({ signal }): Promise<Session | null> => {
    try {
      return readAnswer(OperatorSessionAnswer, await (await callRoom('session', { signal })).json())
    } catch (error) {
      if (isSignedOut(error)) return ended(room.getQueryData<Session | null>(SESSION_KEY))
      throw error
    }
  },
  // After a sign-in in another tab, looking here again is enough.
  staleTime: ({ state }) => (state.data && !state.data.isOver ? 60_000 : 0),
})

/** Whether the one who is signed in may use a verb, and export lists. */
export function useMay(): { use(name: VerbName): boolean; export: boolean } {
  const { data } = useQuery(sessionQuery)
  return { use: (name) => data?.verbs.includes(name) ?? false, export: data?.role === 'operator' }
}

/** Calls a verb. @throws ApiError */
async function askVerb<Name extends VerbName>(
  name: Name,
  body: object,
  signal?: AbortSignal,
): Promise<Answer<RowOf<Name>>> {
  return (await callRoom(pathOf(name), { body, signal })).json()
}

const pathOf = (name: VerbName) => name.replace(' ', '/')

/** The rows of a verb that only reads, page after page; `isLive` ones are looked at again while anybody looks. */
export function rowsQuery<Name extends VerbName>(
  name: Name,
  input: InputOf<Name>,
  { isLive = false }: { isLive?: boolean } = {},
) {
  return infiniteQueryOptions({
    queryKey: ['operator', ...name.split(' '), input],
    queryFn: ({ pageParam, signal }) => askVerb(name, { ...input, ...pageParam }, signal),
    initialPageParam: {},
    getNextPageParam: ({ next }) => (next === null ? undefined : { cursor: next }),
    refetchInterval: isLive && LIVE_MS,
  })
}

/** Uses a verb that changes something: asks for the code where it is needed, and reads again what is shown. */
export function useVerb<Name extends VerbName>(name: Name) {
  return useMutation({
    mutationFn: (input: object) => withCode(() => askVerb(name, input)),
    onSuccess: () => room.invalidateQueries({ queryKey: ['operator'] }),
  })
}

/** Has the browser save a whole list as CSV. @throws ApiError */
export async function saveCsv(name: VerbName, body: object): Promise<void> {
  const answer = await callRoom(pathOf(name), { body, accept: 'text/csv' })
  saveFile(await answer.blob(), `${name.replace(' ', '-')}.csv`)
}
