import type { HistoryAnswer, HistoryOffer } from '@pairwire/contract/history-answers'
import { Link, useLocation, useNavigate } from 'react-router'
import { useConfig } from '../../api/config-store.ts'
import { useCall } from '../../api/use-call.ts'
import { Button } from '../../components/button.tsx'
import { ActionError } from '../../components/field.tsx'
import { formatBytes, formatCount } from '../../locale/locale.ts'
import { currentSession } from '../../session/session.ts'
import { formatWindow, hourWords } from './history-window.ts'
import { ORDERS_PATH, payOrder } from './pay-order.ts'

type OfferSummaryProps = {
  offer: HistoryOffer | undefined
  history: HistoryAnswer | undefined
  /** The end that was requested, also if it is refused. */
  to: string | undefined
  /** Whether the window shown is the last one requested. */
  settled: boolean
  /** Empty for the newest. */
  onEnd: (to: string) => void
}

/** The result of the choice: its price, the exact window, its contents, and the payment. */
export function OfferSummary({ offer, history, to, settled, onEnd }: OfferSummaryProps) {
  const { payment } = useConfig()
  const navigate = useNavigate()
  const { search } = useLocation()
  const sold = history?.offers.find(({ id }) => id === offer?.id)
  const payCall = useCall(payOrder)
  const orders = { pathname: ORDERS_PATH, search }
  const pay = () => {
    if (!sold) return
    // The orders page shows the login form, with the choice in its address.
    if (!currentSession()) return navigate(orders)
    void payCall.run(payment, { offer: sold.id, to: sold.to })
  }
  const reason = history?.reason ?? sold?.reason

  return (
    <section className="panel offer-summary" aria-label="Your choice">
      <div className="offer-facts">
        <p className="offer-chosen">{offer ? `${offer.label}, ${offer.usd} USD` : 'Choose a duration'}</p>
        {sold ? <OfferFacts sold={sold} /> : null}
        {offer ? null : <p className="second small">The exact dates appear here (UTC).</p>}
        {history?.reason ? <p>Ordering is not open yet.</p> : null}
        {reason && reason !== 'Ordering is not open yet.' ? (
          <p className="second small">{reason.replace(/\d{8}-\d{6}/g, (name) => hourWords(name))}</p>
        ) : null}
        {history?.sample ? (
          <p className="small">
            <Link to={orders}>Take the sample hour</Link> of {hourWords(history.sample)} UTC. It is free.
          </p>
        ) : null}
        <ActionError>{payCall.failure?.error.message}</ActionError>
      </div>
      {to ? (
        <div className="offer-pay">
          <label className="offer-ends">
            Ends (date and hour, UTC)
            <input
              className="input"
              type="datetime-local"
              step={3_600}
              value={`${to.slice(0, 13)}:00`}
              onChange={({ target }) => onEnd(target.value.replace(/:.*/, ':00:00Z'))}
            />
          </label>
          {sold?.available && history?.reason === null ? (
            <Button
              variant="primary"
              size="lg"
              icon="arrow"
              busy={payCall.busy !== undefined}
              disabled={!settled}
              onClick={pay}
            >
              Continue to payment
            </Button>
          ) : null}
        </div>
      ) : null}
    </section>
  )
}

function OfferFacts({ sold }: { sold: HistoryAnswer['offers'][number] }) {
  const { swaps, pairs, zipBytes, parquetBytes, incomplete } = sold
  return (
    <>
      <p className="second small">Every new pair and swap from {formatWindow(sold)}.</p>
      {zipBytes > 0 ? (
        <p className="second small">
          {formatCount(swaps, 'swap')} and {formatCount(pairs, 'new pair')}: {formatBytes(zipBytes)} as zip,{' '}
          {formatBytes(parquetBytes)} as Parquet.
        </p>
      ) : null}
      {incomplete.length > 0 ? (
        <p className="second small">
          Incomplete hours (UTC): {incomplete.map((name) => hourWords(name)).join(', ')}.
        </p>
      ) : null}
    </>
  )
}
