import { QueryClient } from '@tanstack/react-query'

/** Cached server data of pages with an account. Only they import it: the first page needs no cache. */
export const serverData = new QueryClient({ defaultOptions: { queries: { retry: false } } })
// Refreshes when the window becomes visible again.
serverData.mount()
