import type { PublicConfig } from '@pairwire/contract'
import { noAnswer } from '../../api/api-error.ts'
import { loadScript } from '../../third-parties/load-script.ts'

/** The part of Paddle's script that is used. @see https://developer.paddle.com/paddlejs/overview */
type Paddle = Readonly<{
  Environment: { set(environment: 'sandbox'): void }
  Initialize(settings: { token: string }): void
  Checkout: {
    open(
      checkout: { settings: { successUrl: string } } & (
        | {
            items: readonly { priceId: string; quantity: number }[]
            customData: { userID: string }
            customer: { email: string }
          }
        | { transactionId: string }
      ),
    ): void
  }
}>

declare global {
  interface Window {
    Paddle?: Paddle
  }
}

type PaddlePayment = Extract<NonNullable<PublicConfig['payment']>, { provider: 'paddle' }>

/** Paddle requires that its script is never served from elsewhere. */
const SCRIPT_URL = 'https://cdn.paddle.com/paddle/v2/paddle.js'

/** Milliseconds before the script counts as not loaded. */
const SCRIPT_TIMEOUT_MS = 20_000

/**
 * Paddle's script, fetched and set up at the first call. When it is set up on a page whose address names a
 * transaction (`_ptxn`), it opens that transaction's checkout by itself.
 *
 * @throws ApiError when the script does not load; the next call tries again
 */
export function loadPaddle(payment: PaddlePayment): Promise<Paddle> {
  loading ??= loadScript(SCRIPT_URL, SCRIPT_TIMEOUT_MS)
    .then(() => {
      const paddle = window.Paddle
      if (!paddle) throw noAnswer()
      if (payment.environment === 'sandbox') paddle.Environment.set('sandbox')
      paddle.Initialize({ token: payment.clientToken })
      return paddle
    })
    .catch((error) => {
      loading = undefined
      throw error
    })
  return loading
}

let loading: Promise<Paddle> | undefined
