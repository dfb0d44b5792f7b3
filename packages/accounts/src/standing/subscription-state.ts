import { AppError, type PlanId } from '@pairwire/contract'

/**
 * The life of a subscription.
 *
 *            trial_started            end_reached
 *     none ────────────────▶ trial ─────────────────▶ none
 *      │                       │
 *      │ paid                  │ paid: the trial is over
 *      ▼                       ▼
 *   ┌──────────────── active ◀──────────────────┐
 *   │                 │    ▲                    │ paid: the cancellation is revoked,
 *   │  payment_failed │    │ paid               │ or the plan is resumed
 *   │                 ▼    │                    │
 *   │                past_due ──── cancelled ─▶ cancelled ─── end_reached ─┐
 *   │                 │                         ▲  │                       │
 *   ├── cancelled ────┼─────────────────────────┘  │                       │
 *   │                 │                            │                       ▼
 *                     └────── ended, refunded ─────┴───────────────────▶ ended
 *
 * A paid plan that is not cancelled stays in force for a grace period after the paid time, since a renewal is reported late
 * and a card may fail for a day; after that it is out of force until the provider reports more.
 */
export type SubscriptionState =
  | Readonly<{ kind: 'none' }>
  | Readonly<{ kind: 'trial'; planId: PlanId; startedAt: Date; endsAt: Date }>
  | Readonly<{ kind: 'active' } & Paid>
  /** `failedAt`: the first failure, from which the grace is counted. */
  | Readonly<{ kind: 'past_due'; failedAt: Date } & Paid>
  | Readonly<{ kind: 'cancelled'; cancelledAt: Date; endsAt: Date } & Paid>
  /** `isFinal`: the provider itself ended it, so no payment can follow. */
  | Readonly<{ kind: 'ended'; endedAt: Date; isFinal: boolean } & Partial<Paid>>

/** Members that every state of a paid subscription has. */
type Paid = Readonly<{
  planId: PlanId
  startedAt: Date
  paidUntil: Date
  /** Payments for time up to here were refunded: they do not revive the plan. */
  refundedUntil: Date | undefined
}>

/** Inputs that move a subscription from state to state. `at` is when it happened. */
export type SubscriptionInput = Readonly<{ at: Date }> &
  (
    | Readonly<{ type: 'trial_started'; planId: PlanId; endsAt: Date }>
    | Readonly<{ type: 'paid'; planId: PlanId; until: Date }>
    | Readonly<{ type: 'payment_failed'; planId: PlanId }>
    | Readonly<{ type: 'cancelled'; planId: PlanId; until: Date }>
    /** `until`: end of the time whose payment was refunded. */
    | Readonly<{ type: 'refunded'; until: Date }>
    | Readonly<{ type: 'ended' }>
    | Readonly<{ type: 'end_reached' }>
  )

/** The state after `input`. @throws AppError if a trial is requested that is not allowed */
export function nextState(state: SubscriptionState, input: SubscriptionInput): SubscriptionState {
  // The table's own type ties each cell to its state and input; TypeScript cannot follow that through two unions.
  const cell = TABLE[state.kind][input.type] as Cell<SubscriptionState, SubscriptionInput>
  return cell(state, input)
}

/** Milliseconds for which an unpaid plan that was not cancelled stays in force. */
export const GRACE_MS = 7 * 24 * 60 * 60_000

/** When the plan of a state is in force, and what people see of it. */
export function accessOf(state: SubscriptionState): {
  /** In force before this moment. */
  endsAt: Date
  renewsAt: Date | null
  cancelledAt: Date | null
} | null {
  switch (state.kind) {
    case 'none':
    case 'ended':
      return null
    case 'trial':
      return { endsAt: state.endsAt, renewsAt: null, cancelledAt: null }
    case 'active':
      return { endsAt: afterGrace(state.paidUntil), renewsAt: state.paidUntil, cancelledAt: null }
    case 'past_due': {
      const endsAt = endUnpaid(state)
      return { endsAt, renewsAt: endsAt, cancelledAt: null }
    }
    case 'cancelled':
      return { endsAt: state.endsAt, renewsAt: null, cancelledAt: state.cancelledAt }
  }
}

/** Names of the states. */
export type SubscriptionKind = SubscriptionState['kind']

/** The state of one kind. */
export type StateOf<Kind extends SubscriptionKind> = Extract<SubscriptionState, { kind: Kind }>
type InputOf<Type extends SubscriptionInput['type']> = Extract<SubscriptionInput, { type: Type }>
type Cell<State, Input> = (state: State, input: Input) => SubscriptionState

/** Every state with every input: the compiler demands each cell. */
type Table = {
  readonly [Kind in SubscriptionKind]: {
    readonly [Type in SubscriptionInput['type']]: Cell<StateOf<Kind>, InputOf<Type>>
  }
}

const stays = <State extends SubscriptionState>(state: State): State => state

const TABLE: Table = {
  none: {
    trial_started: (_, { at, planId, endsAt }) => ({ kind: 'trial', planId, startedAt: at, endsAt }),
    paid: (_, input) => begins(input),
    payment_failed: (_, input) => beginsUnpaid(input),
    cancelled: (_, input) => beginsCancelled(input),
    refunded: stays,
    // Nothing has begun: a report about an earlier time ends nothing.
    ended: stays,
    end_reached: stays,
  },
  trial: {
    trial_started: () => refuse('TRIAL_USED'),
    paid: (_, input) => begins(input),
    payment_failed: (_, input) => beginsUnpaid(input),
    cancelled: (_, input) => beginsCancelled(input),
    refunded: stays,
    ended: stays,
    end_reached: () => ({ kind: 'none' }),
  },
  active: {
    trial_started: () => refuse('SUBSCRIPTION_EXISTS'),
    paid: (state, input) => goesOn(state, input),
    payment_failed: (state, input) => goesUnpaid(state, input),
    cancelled: (state, input) => willEnd(state, input, input.until),
    refunded: (state, input) => givenBack(state, input),
    ended: (state, { at }) => over(state, at),
    end_reached: stays,
  },
  past_due: {
    trial_started: () => refuse('SUBSCRIPTION_EXISTS'),
    paid: (state, input) => goesOn(state, input),
    payment_failed: (state, { planId }) => ({ ...state, planId }),
    cancelled: (state, input) => willEnd(state, input, earlier(input.until, endUnpaid(state))),
    refunded: (state, input) => givenBack(state, input),
    ended: (state, { at }) => over(state, at),
    end_reached: stays,
  },
  cancelled: {
    trial_started: () => refuse('SUBSCRIPTION_EXISTS'),
    paid: (state, input) => goesOn(state, input),
    payment_failed: (state, input) => goesUnpaid(state, input),
    cancelled: (state, { planId, until }) => ({ ...state, planId, endsAt: until }),
    refunded: (state, input) => givenBack(state, input),
    ended: (state, { at }) => over(state, earlier(at, state.endsAt)),
    end_reached: (state) => ({ ...paidPart(state), kind: 'ended', endedAt: state.endsAt, isFinal: false }),
  },
  ended: {
    trial_started: (_, { at, planId, endsAt }) => ({ kind: 'trial', planId, startedAt: at, endsAt }),
    paid: (state, input) => {
      const isGivenBack = state.refundedUntil !== undefined && input.until <= state.refundedUntil
      return state.isFinal || isGivenBack ? state : goesOn(state, input)
    },
    payment_failed: stays,
    cancelled: stays,
    refunded: stays,
    ended: (state) => ({ ...state, isFinal: true }),
    end_reached: stays,
  },
}

function begins({ at, planId, until }: InputOf<'paid'>): SubscriptionState {
  return { kind: 'active', planId, startedAt: at, paidUntil: until, refundedUntil: undefined }
}

function beginsUnpaid({ at, planId }: InputOf<'payment_failed'>): SubscriptionState {
  return { kind: 'past_due', planId, startedAt: at, paidUntil: at, failedAt: at, refundedUntil: undefined }
}

function beginsCancelled({ at, planId, until }: InputOf<'cancelled'>): SubscriptionState {
  const paid = { planId, startedAt: at, paidUntil: until, refundedUntil: undefined }
  return { ...paid, kind: 'cancelled', cancelledAt: at, endsAt: until }
}

function goesUnpaid(state: Paid, { at, planId }: InputOf<'payment_failed'>): SubscriptionState {
  return { ...paidPart(state), kind: 'past_due', planId, failedAt: at }
}

function willEnd(state: Paid, { at, planId }: InputOf<'cancelled'>, endsAt: Date): SubscriptionState {
  return { ...paidPart(state), kind: 'cancelled', planId, cancelledAt: at, endsAt }
}

/** A payment keeps the start, from which billing periods are counted. */
function goesOn(state: Partial<Paid>, { at, planId, until }: InputOf<'paid'>): SubscriptionState {
  return {
    kind: 'active',
    planId,
    startedAt: state.startedAt ?? at,
    paidUntil: until,
    refundedUntil: state.refundedUntil,
  }
}

/** A refund of an earlier period does not end the current one. */
function givenBack<State extends StateOf<'active' | 'past_due' | 'cancelled'>>(
  state: State,
  { at, until }: InputOf<'refunded'>,
): SubscriptionState {
  if (until < state.paidUntil) return state
  return { ...paidPart(state), kind: 'ended', endedAt: at, isFinal: false, refundedUntil: state.paidUntil }
}

function over(state: Paid, endedAt: Date): SubscriptionState {
  return { ...paidPart(state), kind: 'ended', endedAt, isFinal: true }
}

function paidPart({ planId, startedAt, paidUntil, refundedUntil }: Paid): Paid {
  return { planId, startedAt, paidUntil, refundedUntil }
}

function refuse(errorType: 'TRIAL_USED' | 'SUBSCRIPTION_EXISTS'): never {
  throw new AppError(errorType)
}

/** The paid time stays in force, whatever fails after it. */
function endUnpaid({ paidUntil, failedAt }: StateOf<'past_due'>): Date {
  return paidUntil > afterGrace(failedAt) ? paidUntil : afterGrace(failedAt)
}

function earlier(left: Date, right: Date): Date {
  return left < right ? left : right
}

function afterGrace(moment: Date): Date {
  return new Date(moment.getTime() + GRACE_MS)
}
