import type { HistoryOffer } from '@pairwire/contract/plans'
import { useEffect, useState } from 'react'
import { formatWindow, historyWindow, untilNextHour } from './history-window.ts'

/** What the choice comes to: its price and the exact window it covers. */
export function OfferSummary({ offer }: { offer: HistoryOffer | undefined }) {
  const now = useHour()
  return (
    <section className="panel offer-summary" aria-label="Your choice">
      <div>
        <p className="offer-chosen">{offer ? `${offer.label}, ${offer.usd} USD` : 'Choose a duration'}</p>
        <p className="second small">
          {offer
            ? `Every new pair and swap from ${formatWindow(historyWindow(offer.hours, now))}.`
            : 'The exact dates appear here (UTC).'}
        </p>
      </div>
      <p className="second">Ordering is not open yet.</p>
    </section>
  )
}

/** The time, looked at again at each whole hour. */
function useHour(): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setTimeout(() => setNow(Date.now()), untilNextHour(now))
    return () => clearTimeout(timer)
  }, [now])
  return now
}
