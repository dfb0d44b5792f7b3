import { randomUUID } from 'node:crypto'
import type { HistoryOrder, PaidSubscription, Payment } from '@pairwire/accounts'
import { deriveSecret } from '@pairwire/accounts'
import { AppError, type PlanId, planById } from '@pairwire/contract'
import { errors, jwtVerify, SignJWT } from 'jose'
import type { Billing, SignedWebhook } from './billing.ts'
import { readPaddleWebhook } from './paddle-webhook.ts'
import { signWebhook } from './webhook-signature.ts'

/** Name under which accounts store the sandbox's reports. */
export const SANDBOX = 'sandbox'

/** Seconds for which a checkout or portal page may be used. */
const SANDBOX_SESSION_SECONDS = 60 * 60

/** The claims in a session's address. */
export type CheckoutSession = PlanSession | Readonly<{ accountId: string; orderId: number }>
type PlanSession = Readonly<{ accountId: string; planId: PlanId; subscriptionId: string }>
type PortalSession = Readonly<{ accountId: string }>

/** A card provider that charges nobody. Its only memory is the accounts' record of its reports. */
export type SandboxBilling = Billing &
  Readonly<{
    /** @returns 'expired' for an address that has expired, undefined for one that was never issued */
    readCheckout(token: string): Promise<CheckoutSession | 'expired' | undefined>
    readPortal(token: string): Promise<PortalSession | 'expired' | undefined>
    /** The webhooks of a paid checkout. The same session sends the same events. */
    pay(session: PlanSession): SignedWebhook[]
    payOrder(order: HistoryOrder): SignedWebhook[]
    /** The webhooks of a cancellation: the plan runs until its period ends. */
    cancel(subscription: PaidSubscription): SignedWebhook[]
    /** The webhooks of a revoked cancellation. */
    keep(subscription: PaidSubscription): SignedWebhook[]
    /** The webhooks of a refund, of a payment or of a sale that has nothing to do with the plan. */
    refund(payment: Payment): SignedWebhook[]
    refundOther(subscription: PaidSubscription): SignedWebhook[]
    /** The webhooks of a plan's change to an unknown price. */
    reprice(subscription: PaidSubscription): SignedWebhook[]
    /** The webhooks of a due payment. The same period sends the same events. */
    renew(subscription: PaidSubscription): SignedWebhook[]
  }>

/**
 * Checkout and portal on pages of our own, and webhooks in Paddle's form, signed with our own secret, so that sandbox
 * payments take the same path to a plan as real ones.
 */
export function createSandboxBilling(parts: {
  /** Signs sessions and webhooks, each with a key derived from it. */
  secret: Uint8Array
  clock: () => number
  warn(sentence: string, fields?: Readonly<Record<string, unknown>>): void
}): SandboxBilling {
  const { clock, warn } = parts
  const sessionKey = deriveSecret(parts.secret, 'pairwire sandbox sessions')
  const webhookSecret = deriveSecret(parts.secret, 'pairwire sandbox webhooks').toString('hex')
  const seconds = () => Math.floor(clock() / 1_000)

  const issue = (audience: string, accountId: string, claims: Record<string, unknown>) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256' })
      .setAudience(audience)
      .setSubject(accountId)
      .setJti(randomUUID())
      .setExpirationTime(seconds() + SANDBOX_SESSION_SECONDS)
      .sign(sessionKey)

  const read = async (audience: string, token: string) => {
    try {
      const { payload } = await jwtVerify(token, sessionKey, {
        algorithms: ['HS256'],
        audience,
        requiredClaims: ['sub', 'exp', 'jti'],
        currentDate: new Date(clock()),
      })
      return payload
    } catch (error) {
      return error instanceof errors.JWTExpired ? ('expired' as const) : undefined
    }
  }

  const sign = (message: Message): SignedWebhook => {
    const body = JSON.stringify(message)
    return { body, signature: signWebhook(webhookSecret, body, clock()) }
  }

  const report = (subscription: PaidSubscription, over: Partial<SubscriptionData>): SignedWebhook =>
    sign(
      subscriptionMessage(`evt_${randomUUID()}`, 'subscription.updated', clock(), {
        accountId: subscription.accountId,
        subscriptionId: nameOf(subscription),
        planId: subscription.planId,
        until: subscription.renewsAt ?? subscription.endsAt ?? new Date(clock()),
        ...over,
      }),
    )

  return {
    provider: SANDBOX,
    settings: { provider: 'sandbox' },
    sources: { script: [], style: [], frame: [] },

    readWebhook: (body, signature) =>
      readPaddleWebhook(
        { provider: SANDBOX, secret: webhookSecret, clock, planOf: planOfPrice, isHistoryPrice, warn },
        body,
        signature,
      ),

    async openCheckout(accountId, planId) {
      return `/sandbox/checkout/${await issue('checkout', accountId, { planId })}`
    },

    planOf: planOfPrice,

    async openPortal({ provider, accountId }) {
      if (provider !== SANDBOX) throw new AppError('ERR_UNAVAILABLE')
      return `/sandbox/portal/${await issue('portal', accountId, {})}`
    },

    orders: {
      createTransaction: async ({ id, offer }) => ({
        provider: SANDBOX,
        transactionId: `txn_order_${id}`,
        priceId: `${ORDER_PRICES}${offer}`,
      }),
      openCheckout: async ({ accountId, id }) => ({
        provider: 'sandbox',
        url: `/sandbox/checkout/${await issue('checkout', accountId, { orderId: id })}`,
      }),
    },

    async refundOrder({ provider, transactionId, usd }) {
      if (provider !== SANDBOX || !transactionId) throw new AppError('ERR_UNAVAILABLE')
      return [sign(refundMessage(transactionId, clock(), { amount: BigInt(usd * 100) }))]
    },

    // The sandbox renews only plans of existing accounts, so there is nothing to end.
    endSubscription: async () => {},

    async readCheckout(token) {
      const payload = await read('checkout', token)
      if (payload === undefined || payload === 'expired') return payload
      const plan = planById(Number(payload.planId))
      if (payload.sub && typeof payload.orderId === 'number') {
        return { accountId: payload.sub, orderId: payload.orderId }
      }
      if (!payload.sub || !plan) return undefined
      return { accountId: payload.sub, planId: plan.id, subscriptionId: `sub_${payload.jti}` }
    },

    async readPortal(token) {
      const payload = await read('portal', token)
      if (payload === undefined || payload === 'expired') return payload
      return payload.sub ? { accountId: payload.sub } : undefined
    },

    pay({ accountId, planId, subscriptionId }) {
      const at = clock()
      const from = new Date(at)
      const about = { accountId, subscriptionId, planId, from, until: addMonths(from, 1) }
      return [
        sign(subscriptionMessage(`evt_${subscriptionId}_created`, 'subscription.created', at, about)),
        sign(transactionMessage(`${subscriptionId}_1`, at, { ...about, origin: 'web' })),
      ]
    },

    payOrder: (order) => [sign(orderMessage(order, clock()))],

    cancel(subscription) {
      const until = subscription.renewsAt ?? subscription.endsAt ?? new Date(clock())
      return [report(subscription, { cancelsAt: until })]
    },

    keep: (subscription) => [report(subscription, {})],

    refund: ({ subscriptionId, transactionId, amount }) => [
      sign(refundMessage(transactionId, clock(), { subscriptionId, amount })),
    ],

    refundOther(subscription) {
      const refunded = { id: randomUUID(), subscriptionId: nameOf(subscription), amount: 1_000n }
      return [sign(refundMessage('txn_of_a_single_sale', clock(), refunded))]
    },

    reprice: (subscription) => [report(subscription, { priceId: UNKNOWN_PRICE })],

    renew(subscription) {
      const begins = subscription.renewsAt
      if (!begins) return []
      const until = nextRenewal(subscription.startedAt, begins)
      const about = {
        accountId: subscription.accountId,
        subscriptionId: nameOf(subscription),
        planId: subscription.planId,
        from: begins,
        until,
      }
      const id = `${nameOf(subscription)}_${begins.toISOString().slice(0, 10)}`
      // Dated when it was due, even if the process was not running then.
      const at = begins.getTime()
      return [
        sign(subscriptionMessage(`evt_${id}`, 'subscription.updated', at, about)),
        sign(transactionMessage(id, at, { ...about, origin: 'subscription_recurring' })),
      ]
    },
  }
}

/** The members of Paddle's subscriptions that the sandbox sends. */
type SubscriptionData = Readonly<{
  accountId: string
  subscriptionId: string
  planId: PlanId
  /** Replaces the plan's own price. */
  priceId?: string
  until: Date
  cancelsAt?: Date
}>

type Message = Readonly<Record<string, unknown>>

function subscriptionMessage(id: string, type: string, at: number, data: SubscriptionData): Message {
  return {
    event_id: id,
    event_type: type,
    occurred_at: new Date(at).toISOString(),
    data: {
      id: data.subscriptionId,
      status: 'active',
      customer_id: customerOf(data.accountId),
      custom_data: { userID: data.accountId },
      items: [{ price: { id: data.priceId ?? priceOf(data.planId) } }],
      current_billing_period: { ends_at: data.until.toISOString() },
      scheduled_change: data.cancelsAt
        ? { action: 'cancel', effective_at: data.cancelsAt.toISOString() }
        : null,
    },
  }
}

function transactionMessage(
  id: string,
  at: number,
  data: SubscriptionData & Readonly<{ from: Date; origin: string }>,
): Message {
  return {
    event_id: `evt_txn_${id}`,
    event_type: 'transaction.completed',
    occurred_at: new Date(at).toISOString(),
    data: {
      id: `txn_${id}`,
      status: 'completed',
      subscription_id: data.subscriptionId,
      customer_id: customerOf(data.accountId),
      custom_data: { userID: data.accountId },
      origin: data.origin,
      billing_period: { starts_at: data.from.toISOString(), ends_at: data.until.toISOString() },
      details: totalsOf(BigInt((planById(data.planId)?.usdPerMonth ?? 0) * 100)),
    },
  }
}

/** A single sale: nothing in it belongs to a subscription. The same order sends the same event. */
function orderMessage({ id, accountId, offer, usd, transactionId }: HistoryOrder, at: number): Message {
  return {
    event_id: `evt_${transactionId}`,
    event_type: 'transaction.completed',
    occurred_at: new Date(at).toISOString(),
    data: {
      id: transactionId,
      status: 'completed',
      origin: 'api',
      customer_id: customerOf(accountId),
      custom_data: { userID: accountId, orderID: id },
      items: [{ quantity: 1, price: { id: `${ORDER_PRICES}${offer}` } }],
      details: totalsOf(BigInt(usd * 100)),
    },
  }
}

/** The sums of a payment in cents, without tax, of which the provider takes 5 % and half a dollar. */
function totalsOf(cents: bigint) {
  const [total, fee] = [String(cents), String(cents / 20n + 50n)]
  const totals = { tax: '0', total, grand_total: total, fee, currency_code: 'USD' }
  return { totals, payout_totals: totals }
}

function refundMessage(
  transactionId: string,
  at: number,
  {
    id = `adj_${transactionId}`,
    subscriptionId,
    amount,
  }: { id?: string; subscriptionId?: string; amount: bigint },
): Message {
  const totals = { tax: '0', total: String(amount), currency_code: 'USD' }
  return {
    event_id: `evt_${id}`,
    event_type: 'adjustment.updated',
    occurred_at: new Date(at).toISOString(),
    data: {
      id,
      action: 'refund',
      status: 'approved',
      type: 'full',
      transaction_id: transactionId,
      subscription_id: subscriptionId,
      totals,
      payout_totals: totals,
    },
  }
}

function customerOf(accountId: string): string {
  return `ctm_${accountId}`
}

function priceOf(planId: PlanId): string {
  return `pri_sandbox_${planId}`
}

const ORDER_PRICES = 'pri_sandbox_order_'

function isHistoryPrice(priceId: string): boolean {
  return priceId.startsWith(ORDER_PRICES)
}

const UNKNOWN_PRICE = 'pri_sandbox_unknown'

function planOfPrice(priceId: string): PlanId | undefined {
  return planById(Number(/^pri_sandbox_(\d)$/.exec(priceId)?.[1]))?.id
}

function nameOf({ subscriptionId }: PaidSubscription): string {
  if (!subscriptionId) throw new Error('a sandbox plan has no subscription id')
  return subscriptionId
}

/** The first payment day after `after`, counted from the start, so that one short month does not move later ones. */
export function nextRenewal(start: Date, after: Date): Date {
  let months =
    (after.getUTCFullYear() - start.getUTCFullYear()) * 12 + after.getUTCMonth() - start.getUTCMonth()
  while (addMonths(start, months) <= after) months++
  return addMonths(start, months)
}

/** The same day and time `months` later, or the month's last day if it has no such day. */
function addMonths(start: Date, months: number): Date {
  const date = new Date(start)
  date.setUTCDate(1)
  date.setUTCMonth(start.getUTCMonth() + months)
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  date.setUTCDate(Math.min(start.getUTCDate(), lastDay))
  return date
}
