import type { HistoryAnswer, HistoryOffer } from '@pairwire/contract/history-answers'
import { useId } from 'react'
import { HourField } from './hour-field.tsx'

type OfferCardProps = {
  offer: HistoryOffer
  /** The 720 hours, once known. */
  hours: HistoryAnswer['hours'] | undefined
  chosen: boolean
  onChoose: () => void
}

/** One choice of the shop: the whole card is its radio button's label. */
export function OfferCard({ offer, hours, chosen, onChoose }: OfferCardProps) {
  const id = useId()
  return (
    <label className="panel offer">
      <span className="offer-head aligned">
        <span className="offer-label" id={`${id}-label`}>
          {offer.label}
        </span>
        <input
          type="radio"
          name="offer"
          className="offer-radio"
          value={offer.id}
          checked={chosen}
          onChange={onChoose}
          aria-labelledby={`${id}-label ${id}-price`}
          aria-describedby={`${id}-hourly`}
        />
      </span>
      <HourField hours={offer.hours} known={hours} />
      <span className="offer-price">
        <span id={`${id}-price`}>
          <b>{offer.usd}</b> <span className="second">USD</span>
        </span>
        <span className="num second" id={`${id}-hourly`}>
          ${(offer.usd / offer.hours).toFixed(2)} per hour
        </span>
      </span>
    </label>
  )
}
