import type { BillingEvent, BillingReport, Money, OrderEvent, Sums } from '@pairwire/accounts'
import { AppError, type PlanId } from '@pairwire/contract'
import * as z from 'zod'
import { isSigned } from './webhook-signature.ts'

/** What {@link readPaddleWebhook} needs. */
export type PaddleWebhookParts = Readonly<{
  /** The provider's name under which accounts store its reports. */
  provider: string
  secret: string
  /** Unix milliseconds. */
  clock: () => number
  /** The plan sold at a price. */
  planOf(priceId: string): PlanId | undefined
  /** Whether history is sold at a price. */
  isHistoryPrice(priceId: string): boolean
  /** Logs a webhook that we cannot use. */
  warn(sentence: string, fields: Readonly<Record<string, string>>): void
}>

/**
 * Reads a webhook in Paddle Billing's form: the signature first, then only the needed part of the body.
 *
 * @see https://developer.paddle.com/webhooks/overview
 * @returns undefined for a webhook that is about neither a plan nor an order
 * @throws AppError ERR_FORBIDDEN, ERR_VALIDATION; see `Billing.readWebhook`
 */
export function readPaddleWebhook(
  parts: PaddleWebhookParts,
  body: Uint8Array,
  signature: string | undefined,
): BillingEvent | OrderEvent | undefined {
  if (!isSigned(parts.secret, body, signature, parts.clock())) {
    throw new AppError('ERR_FORBIDDEN', 'The signature is not valid.')
  }
  const json = parseJson(body)
  const envelope = parse(Envelope, json)
  const said = readData(envelope, parts)
  if (!said) return undefined

  return {
    provider: parts.provider,
    id: envelope.event_id,
    occurredAt: envelope.occurred_at,
    raw: withoutSecrets(json),
    ...said,
  }
}

type Said = Pick<BillingEvent, 'subscriptionId' | 'customerId' | 'accountId' | 'priceIds' | 'report'>

/** Reads a report on a payment that belongs to no subscription. The buyer named in its `custom_data` is not trusted. */
type SaidOfOrder = Pick<OrderEvent, 'transactionId' | 'isForHistory' | 'report'>

function readData(
  envelope: z.infer<typeof Envelope>,
  parts: PaddleWebhookParts,
): Said | SaidOfOrder | undefined {
  const { event_type: type, data } = envelope
  if (type.startsWith('subscription.')) return readSubscription(parse(Subscription, data), envelope, parts)
  if (type === 'transaction.completed') return readTransaction(parse(Transaction, data), envelope, parts)
  if (type === 'adjustment.created' || type === 'adjustment.updated') {
    return readAdjustment(parse(Adjustment, data))
  }
  return undefined
}

function readSubscription(
  data: z.infer<typeof Subscription>,
  { event_id, occurred_at }: z.infer<typeof Envelope>,
  { planOf, warn }: PaddleWebhookParts,
): Said | undefined {
  // Removed items stay in a subscription's list; all items of a paused one are inactive.
  const isPaidFor = (status?: string) => data.status === 'paused' || !status || PAID_FOR.includes(status)
  const priceIds = data.items.filter(({ status }) => isPaidFor(status)).map(({ price }) => price.id)
  const said = (report: BillingReport): Said => ({
    subscriptionId: data.id,
    customerId: data.customer_id ?? undefined,
    accountId: data.custom_data?.userID,
    priceIds,
    report,
  })
  if (data.status === 'canceled') return said({ type: 'ended' })

  const planId = priceIds.map(planOf).find((plan) => plan !== undefined) ?? null
  const leaving = data.scheduled_change
  if (data.status === 'paused') {
    return said({ type: 'cancelled', planId, until: data.paused_at ?? occurred_at })
  }
  // A pause ends the plan like a cancellation; once resumed, it is reported as active.
  if (leaving && leaving.action !== 'resume') {
    return said({ type: 'cancelled', planId, until: leaving.effective_at })
  }
  if (data.status === 'past_due') return said({ type: 'payment_failed', planId })
  if (!data.current_billing_period) {
    warn('An active subscription has no period; it was left unchanged.', { event: event_id })
    return undefined
  }
  return said({ type: 'paid', planId, until: data.current_billing_period.ends_at })
}

/** Statuses of an item that is part of the subscription. */
const PAID_FOR = ['active', 'trialing']

function readTransaction(
  data: z.infer<typeof Transaction>,
  { occurred_at }: z.infer<typeof Envelope>,
  { isHistoryPrice }: PaddleWebhookParts,
): Said | SaidOfOrder | undefined {
  const { subscription_id, billing_period, details } = data
  const money = toMoney(details)
  if (!subscription_id) {
    const [item, ...others] = data.items
    const priceId = item?.quantity === 1 && others.length === 0 ? item.price.id : null
    const isForHistory =
      data.custom_data?.orderID !== undefined || data.items.some(({ price }) => isHistoryPrice(price.id))
    return { transactionId: data.id, isForHistory, report: { type: 'charged', ...money, priceId } }
  }
  if (!billing_period) return undefined
  return {
    subscriptionId: subscription_id,
    customerId: data.customer_id ?? undefined,
    accountId: data.custom_data?.userID,
    priceIds: [],
    report: {
      type: 'charged',
      transactionId: data.id,
      from: billing_period.starts_at ?? occurred_at,
      until: billing_period.ends_at,
      origin: data.origin ?? null,
      ...money,
    },
  }
}

/** A refund, a chargeback, or the reversal of one. A partial one changes neither plan nor order. */
function readAdjustment(data: z.infer<typeof Adjustment>): Said | SaidOfOrder | undefined {
  const type = BACK.get(`${data.action} ${data.status}`)
  const isPart = data.type === 'partial'
  if (type === undefined || (type === 'restored' && isPart)) return undefined
  const { totals, payout_totals } = data
  const refund = { adjustmentId: data.id, money: totals ? toMoney({ totals, payout_totals }) : undefined }
  if (!data.subscription_id) {
    return {
      transactionId: data.transaction_id,
      isForHistory: false,
      report: { type: isPart ? 'refunded_in_part' : type, ...refund },
    }
  }
  return {
    subscriptionId: data.subscription_id,
    customerId: data.customer_id ?? undefined,
    accountId: undefined,
    priceIds: [],
    report: {
      type: isPart ? 'refunded_in_part' : type === 'charged_back' ? 'refunded' : type,
      transactionId: data.transaction_id,
      ...refund,
    },
  }
}

/** The sums of a payment or an adjustment. Those of the payout are null until Paddle has worked them out. */
function toMoney({ totals, payout_totals: payout }: z.infer<typeof Details>): Money {
  return { ...toSums(totals), payout: payout ? toSums(payout) : null }
}

function toSums({ total, grand_total, tax, fee, currency_code: currency }: z.infer<typeof Totals>): Sums {
  // Credit that the payer had left from before lowers the grand total, but not what the plan is worth.
  const amount = BigInt(grand_total ?? total ?? 0)
  const taxed = BigInt(tax ?? 0)
  return { currency, amount, net: BigInt(total ?? amount) - taxed, tax: taxed, fee: fee ? BigInt(fee) : null }
}

/** The meaning of an adjustment, by its action and status: the original of a reversed chargeback changes too. */
const BACK = new Map<string, 'refunded' | 'charged_back' | 'restored'>([
  ['refund approved', 'refunded'],
  ['chargeback approved', 'charged_back'],
  ['chargeback reversed', 'restored'],
  ['chargeback_reverse approved', 'restored'],
])

const Moment = z.iso.datetime({ offset: true }).transform((text) => new Date(text))

/** Paddle's ids are plain letters, which every store can hold. */
const Name = z.string().regex(/^[\x21-\x7e]{1,200}$/)

const Envelope = z.object({
  event_id: Name,
  event_type: Name,
  occurred_at: Moment,
  data: z.looseObject({}),
})

/** Set by the page that opened the checkout, so anyone may have written it. Anything but an account id is no account. */
const CustomData = z
  .object({ userID: z.string().max(100).optional().catch(undefined), orderID: z.unknown().optional() })
  .nullish()
  .catch(undefined)

const Subscription = z.object({
  id: Name,
  status: z.enum(['active', 'trialing', 'past_due', 'paused', 'canceled']),
  customer_id: Name.nullish(),
  custom_data: CustomData,
  items: z.array(z.object({ status: Name.optional(), price: z.object({ id: Name }) })).max(100),
  current_billing_period: z.object({ ends_at: Moment }).nullish(),
  scheduled_change: z
    .object({ action: z.enum(['cancel', 'pause', 'resume']), effective_at: Moment })
    .nullish(),
  paused_at: Moment.nullish(),
})

const Units = z.string().regex(/^\d{1,15}$/)

/** Sums of one currency; an adjustment has no grand total. */
const Totals = z.object({
  total: Units.optional(),
  grand_total: Units.optional(),
  tax: Units.optional(),
  fee: z
    .string()
    .regex(/^-?\d{1,15}$/)
    .nullish(),
  currency_code: z.string().length(3),
})

/** Sums that only figures are made of: no payment is refused for them. */
const Payout = Totals.required({ total: true }).nullish().catch(undefined)
const Details = z.object({ totals: Totals, payout_totals: Payout })

const Transaction = z.object({
  id: Name,
  subscription_id: Name.nullish(),
  customer_id: Name.nullish(),
  custom_data: CustomData,
  billing_period: z.object({ starts_at: Moment.optional().catch(undefined), ends_at: Moment }).nullish(),
  origin: Name.nullish().catch(undefined),
  items: z
    .array(z.object({ quantity: z.number(), price: z.object({ id: Name }) }))
    .max(100)
    .catch([]),
  details: Details.extend({ totals: Totals.required({ grand_total: true }) }),
})

const Adjustment = z.object({
  id: Name.optional().catch(undefined),
  action: Name,
  status: Name,
  type: z.string().nullish(),
  transaction_id: Name,
  subscription_id: Name.nullish(),
  customer_id: Name.nullish(),
  totals: Payout,
  payout_totals: Payout,
})

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    throw new AppError('ERR_VALIDATION')
  }
}

function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(value)
  if (!parsed.success) throw new AppError('ERR_VALIDATION')
  return parsed.data
}

/**
 * A copy to store: without members that open something or identify somebody, and without characters that a store cannot hold
 * (the buyer's own data may have anything in it).
 */
export function withoutSecrets(value: unknown): unknown {
  if (typeof value === 'string') return storable(value)
  if (Array.isArray(value)) return value.map(withoutSecrets)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([member]) => !SECRET_MEMBER.test(member))
      .map(([member, inner]) => [storable(member), withoutSecrets(inner)]),
  )
}

/** PostgreSQL stores neither NUL nor a lone surrogate. */
function storable(text: string): string {
  return Buffer.from(text.replaceAll('\0', '')).toString()
}

/** Only ids, dates and sums remain. */
const SECRET_MEMBER =
  /(^|_)(urls?|token|secret|password|cards?|payments?|email|address|business|name|ip|checkout|description)(_|$)/i
