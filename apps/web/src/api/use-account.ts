import { queryOptions, useQuery } from '@tanstack/react-query'
import { useSession } from '../session/session.ts'
import type { Account } from './account.ts'
import { takeAccountRead } from './account-read.ts'
import { serverData } from './server-data.ts'

/** Milliseconds for which a read account is reused. */
const FRESH_MS = 30_000

const accountOf = (token: string | undefined) =>
  queryOptions({
    queryKey: ['account', token],
    queryFn: takeAccountRead,
    enabled: token !== undefined,
    staleTime: FRESH_MS,
    refetchOnWindowFocus: 'always', // another tab may have reset the key
  })

/** The account for a page. */
type AccountView = Readonly<{
  /** The last one read, even while it is read again. */
  account: Account | undefined
  state: 'loading' | 'ready' | 'failed'
  /** Whether it is being read now. */
  reading: boolean
  /** Reads it again. Settles when that is done, even if it failed. */
  reload: () => Promise<Readonly<{ isError: boolean }>>
}>

/** Returns the signed-in user's account. The last one stays in view while it is read again. */
export function useAccount(): AccountView {
  const session = useSession()
  const query = useQuery(accountOf(session?.token), serverData)
  return {
    account: query.data,
    state: query.data ? 'ready' : query.isError ? 'failed' : 'loading',
    reading: query.isFetching,
    reload: () => query.refetch(),
  }
}

/** Forgets all account data when the user signs out in place. */
export function forgetAccounts(): void {
  serverData.clear()
}
