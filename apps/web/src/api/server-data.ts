import { QueryClient } from '@tanstack/react-query'

/** What pages with an account have read of the server. Only they import it: the first page does without a cache. */
export const serverData = new QueryClient({ defaultOptions: { queries: { retry: false } } })
// Looks again when the window comes back.
serverData.mount()
