import { useEffect } from 'react'
import { Link, useSearchParams } from 'react-router'
import { useConfig } from '../api/config-store.ts'
import { PageHeading } from '../components/page.tsx'
import { useLate } from '../components/skeleton.tsx'
import { loadPaddle } from '../features/plans/load-paddle.ts'
import { PAYMENT_WORDS } from '../specified-words.ts'
import './payment.css'

/** Milliseconds after which nobody expects the payment screen any more. */
const PATIENCE_MS = 20_000

/**
 * /dashboard/payment: the page behind the payment provider's own screen. Paddle's links to one payment lead here
 * and name it in `_ptxn`.
 */
export default function PaymentRoute() {
  const late = useLate(PATIENCE_MS)
  const { payment } = useConfig()
  const [search] = useSearchParams()
  const isLinked = search.has('_ptxn')
  useEffect(() => {
    if (!isLinked || payment?.provider !== 'paddle') return
    // Without it nothing opens, and the page says so soon.
    loadPaddle(payment).catch(() => {})
  }, [isLinked, payment])
  return (
    <div className="payment">
      <svg className="payment-pair" viewBox="0 0 320 64" aria-hidden="true" focusable="false">
        <path className="payment-copper" d="M0 52C26 52 54 12 80 12s54 40 80 40 54-40 80-40 54 40 80 40" />
        <path d="M0 12c26 0 54 40 80 40s54-40 80-40 54 40 80 40 54-40 80-40" />
      </svg>
      <PageHeading title="Payment">{PAYMENT_WORDS}</PageHeading>
      <p className="second" role="status">
        {late ? (
          <>
            Nothing opened? <Link to="/dashboard/upgrade">Go back to the plans</Link>.
          </>
        ) : null}
      </p>
    </div>
  )
}
