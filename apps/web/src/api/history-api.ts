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

/** The calls about hours on sale and orders of them; beside `api`, since the first page does without their shapes. */
export const historyApi = {
  /** The 720 hours up to `to` (RFC 3339, a whole hour), the newest without, and what can be ordered. Anyone may ask. */
  async history(to: string | undefined, signal: AbortSignal): Promise<HistoryAnswer> {
    const { method, path } = LATER_PATHS.history
    const query = to === undefined ? '' : `?to=${encodeURIComponent(to)}`
    return readAnswer(HistoryAnswer, await callApi({ method, path: path + query }, { signal }))
  },

  /** Makes an order of the window that ends at `to`, or finds the unpaid one of it, and tells where to pay. */
  async createOrder(body: { offer: Order['offer']; to: string }): Promise<NewOrder> {
    const answer = readAnswer(NewOrder, await callApi(LATER_PATHS.createOrder, { session: true, body }))
    // Only addresses of pages: where the browser goes must never be a script.
    if (answer.checkout.provider === 'sandbox' && !/^(https?:\/\/|\/(?!\/))/.test(answer.checkout.url))
      throw noAnswer()
    return answer
  },

  /** Newest first, without the sample. */
  async orders(): Promise<Orders> {
    return readAnswer(Orders, await callApi(LATER_PATHS.listOrders, { session: true }))
  },

  /** An order with its files; 404 where there is none, which for the sample means that no hour is kept yet. */
  async order(id: number): Promise<OrderWithFiles> {
    const { method, path } = LATER_PATHS.getOrder
    const call = { method, path: path.replace(':id', String(id)) }
    return readAnswer(OrderWithFiles, await callApi(call, { session: true }))
  },
} as const
