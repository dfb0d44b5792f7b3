import {
  HistoryAnswer,
  NewOrder,
  type Order,
  Orders,
  OrderWithFiles,
} from '@pairwire/contract/history-answers'
import { LATER_PATHS } from '@pairwire/contract/later-paths'
import { noAnswer } from './api-error.ts'
import { callApi } from './http-client.ts'
import { readAnswer } from './read-answer.ts'

/** The calls about hours on sale and their orders; separate from `api`, since the first page does not need them. */
export const historyApi = {
  /** The 720 hours up to `to` (RFC 3339, a whole hour; default: the newest), and what can be ordered. Public. */
  async history(to: string | undefined, signal: AbortSignal): Promise<HistoryAnswer> {
    const { method, path } = LATER_PATHS.history
    const query = to === undefined ? '' : `?to=${encodeURIComponent(to)}`
    return readAnswer(HistoryAnswer, await callApi({ method, path: path + query }, { signal }))
  },

  /** Creates an order of the window that ends at `to`, or finds its unpaid one; returns where to pay. */
  async createOrder(body: { offer: Order['offer']; to: string }): Promise<NewOrder> {
    const answer = readAnswer(NewOrder, await callApi(LATER_PATHS.createOrder, { session: true, body }))
    // Only page addresses: the browser must never be sent to a script.
    if (answer.checkout.provider === 'sandbox' && !/^(https?:\/\/|\/(?!\/))/.test(answer.checkout.url))
      throw noAnswer()
    return answer
  },

  /** Newest first, without the sample. */
  async orders(): Promise<Orders> {
    return readAnswer(Orders, await callApi(LATER_PATHS.listOrders, { session: true }))
  },

  /** Returns an order with its files; 404 for a missing one, which for the sample means that no hour is kept yet. */
  async order(id: number): Promise<OrderWithFiles> {
    const { method, path } = LATER_PATHS.getOrder
    const call = { method, path: path.replace(':id', String(id)) }
    return readAnswer(OrderWithFiles, await callApi(call, { session: true }))
  },
} as const
