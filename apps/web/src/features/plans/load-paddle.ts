import type { PublicConfig } from '@pairwire/contract'

/** What is used of Paddle's script. @see https://developer.paddle.com/paddlejs/overview */
type Paddle = Readonly<{
  Environment: { set(environment: 'sandbox'): void }
  Initialize(settings: { token: string }): void
  Checkout: {
    open(checkout: {
      items: readonly { priceId: string; quantity: number }[]
      customData: { userID: string }
      customer: { email: string }
      settings: { successUrl: string }
    }): void
  }
}>

declare global {
  interface Window {
    Paddle?: Paddle
  }
}

type PaddlePayment = Extract<NonNullable<PublicConfig['payment']>, { provider: 'paddle' }>

/** Paddle asks that its script is never served from elsewhere. */
const SCRIPT_URL = 'https://cdn.paddle.com/paddle/v2/paddle.js'

/** Milliseconds before the script counts as not loaded. */
const SCRIPT_TIMEOUT_MS = 20_000

/**
 * Paddle's script, fetched and set up at the first call. Set up on a page whose address names a transaction
 * (`_ptxn`), it opens that one's checkout by itself.
 *
 * @throws Error when the script does not come; the next call tries again
 */
export function loadPaddle(payment: PaddlePayment): Promise<Paddle> {
  loading ??= fetchScript()
    .then((paddle) => {
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

function fetchScript(): Promise<Paddle> {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script')
    const settle = () => {
      clearTimeout(timer)
      if (window.Paddle) return resolve(window.Paddle)
      script.remove()
      reject(new Error('The checkout did not load.'))
    }
    const timer = setTimeout(settle, SCRIPT_TIMEOUT_MS)
    script.src = SCRIPT_URL
    script.onload = settle
    script.onerror = settle
    document.head.append(script)
  })
}
