import { useEffect, useRef } from 'react'
import { Button } from '../../../components/button.tsx'
import { passFocus, passFocusBack } from '../../../components/page.tsx'
import { useStore } from '../../../components/store.ts'
import { feed, useFeed } from '../feed/feed.ts'
import type { OpenSubscription } from '../feed/worker-messages.ts'
import { figures } from '../figures.ts'
import { filterUpdate } from './filter-update.ts'
import { filterWords } from './filter-words.ts'
import { requestText } from './request-text.ts'
import './subscription-strip.css'

/** The open subscriptions of the connection, each with its filter and its counts. */
export function SubscriptionStrip() {
  const subscriptions = useFeed('subscriptions')
  const text = useStore(requestText)
  const section = useRef<HTMLElement>(null)
  // New subscriptions may be hidden by the fixed bar.
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolled whenever their number changes
  useEffect(() => void section.current?.scrollIntoView({ block: 'nearest' }), [subscriptions.length])
  if (subscriptions.length === 0) return null
  return (
    <section aria-label="Open subscriptions" ref={section}>
      <ul className="subscriptions">
        {subscriptions.map((subscription) => (
          <Chip
            key={subscription.id}
            subscription={subscription}
            update={filterUpdate(text, [subscription])}
          />
        ))}
      </ul>
    </section>
  )
}

/** Sets the open subscription of the editor's kind to the editor's filter; shown only if that changes something. */
export function UpdateButton() {
  const text = useStore(requestText)
  const subscriptions = useFeed('subscriptions')
  const update = filterUpdate(text, subscriptions)
  return update && !subscriptions.some((open) => isInForce(update, open)) ? (
    <Button ref={passFocusBack} onClick={() => feed.send(update)}>
      Update filter
    </Button>
  ) : null
}

function Chip({ subscription, update }: { subscription: OpenSubscription; update: string | undefined }) {
  const { id, kind, params, received, perSecond } = subscription
  const name = KINDS[kind] + (params.includes(EARLY) ? ', processed' : '')
  const canUpdate = update !== undefined && !isInForce(update, subscription)
  const unsubscribe = { id, method: `${kind}Unsubscribe`, params: { subscription_id: id } }
  return (
    <li ref={passFocus}>
      <p>
        <b>{name}</b> {filterWords(kind, params)}
        <span className="third num">
          {figures.whole(Math.round(perSecond))}/s · {figures.whole(received)}
        </span>
      </p>
      <button
        type="button"
        className="text-button"
        aria-disabled={!canUpdate}
        aria-label={`Update filter of ${name}`}
        title={canUpdate ? undefined : `Write another ${kind}Subscribe request above, then press here.`}
        onClick={() => canUpdate && feed.send(update)}
      >
        Update filter
      </button>
      <button
        type="button"
        className="text-button"
        aria-label={`Unsubscribe ${name}`}
        onClick={() => feed.send(JSON.stringify(unsubscribe))}
      >
        Unsubscribe
      </button>
    </li>
  )
}

/** As `JSON.stringify` writes it. */
const EARLY = '"commitment":"processed"'

const KINDS = { newPair: 'New pairs', swap: 'Swaps' } as const

/** Whether an update would not change the subscription. */
function isInForce(update: string, { params }: OpenSubscription): boolean {
  const { resume_from, commitment, ...inForce } = JSON.parse(params)
  return JSON.stringify(JSON.parse(update).params.params) === JSON.stringify(inForce)
}
