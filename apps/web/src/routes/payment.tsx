import { useEffect, useState } from 'react'
import { Link } from 'react-router'
import { PageHeading } from '../components/page.tsx'
import { PAYMENT_WORDS } from '../specified-words.ts'
import './payment.css'

/** Milliseconds after which nobody expects the payment screen any more. */
const PATIENCE_MS = 20_000

/** /dashboard/payment: stands behind the payment provider's own screen. */
export default function PaymentRoute() {
  const [late, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div className="payment">
      <svg className="payment-pair" viewBox="0 0 320 64" aria-hidden="true" focusable="false">
        <path className="payment-copper" d="M0 52C26 52 54 12 80 12s54 40 80 40 54-40 80-40 54 40 80 40" />
        <path className="payment-teal" d="M0 12c26 0 54 40 80 40s54-40 80-40 54 40 80 40 54-40 80-40" />
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
