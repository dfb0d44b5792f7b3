import type { HistoryAnswer, OrderWithFiles } from '@pairwire/contract/history-answers'
import { useQuery } from '@tanstack/react-query'
import type { ApiError } from '../../api/api-error.ts'
import { historyApi } from '../../api/history-api.ts'
import { serverData } from '../../api/server-data.ts'
import { useSession } from '../../session/session.ts'

/** Milliseconds for which the server's answer about hours on sale is reused. */
const FRESH_MS = 30_000

/** Milliseconds between two checks of orders that wait for a payment or an hour. */
const WAITING_MS = 5_000

/** Returns the hours on sale up to `to`, by default the newest; the last ones stay while others load. */
export function useHistory(to: string | undefined) {
  return useQuery<HistoryAnswer, ApiError>(
    {
      queryKey: ['history', to],
      queryFn: ({ signal }) => historyApi.history(to, signal),
      staleTime: FRESH_MS,
      placeholderData: (last) => last,
    },
    serverData,
  )
}

/** The account's orders, polled every 5 s while one is waiting. */
export function useOrders() {
  const token = useSession()?.token
  return useQuery(
    {
      queryKey: ['orders', token],
      queryFn: historyApi.orders,
      refetchInterval: ({ state }) => (state.data?.some(isWaiting) ? WAITING_MS : false),
    },
    serverData,
  )
}

/** An order with its files, read when `wanted`, and read again together with its list while it waits. */
export function useOrder(id: number, wanted: boolean) {
  const token = useSession()?.token
  return useQuery<OrderWithFiles, ApiError>(
    {
      queryKey: ['order', token, id],
      queryFn: () => historyApi.order(id),
      enabled: wanted,
      refetchInterval: ({ state }) => (state.data && isWaiting(state.data) ? WAITING_MS : false),
    },
    serverData,
  )
}

/** Whether a payment or an hour may still come. */
function isWaiting({ status, readyHours, hours }: { status: string; readyHours: number; hours: number }) {
  return status === 'awaiting_payment' || ((status === 'paid' || status === 'failed') && readyHours < hours)
}
