import type { Accounts, PaidSubscription, Payment } from '@pairwire/accounts'
import { isObject, oneAtATime } from '@pairwire/basics'
import { AppError, LATER_PATHS, planById } from '@pairwire/contract'
import type { FastifyInstance } from 'fastify'
import type { SignedWebhook } from '../adapters/billing.ts'
import { nextRenewal, SANDBOX, type SandboxBilling } from '../adapters/billing-sandbox.ts'
import type { Pages } from '../pages/page.ts'
import {
  checkoutPage,
  orderSale,
  paidPage,
  planSale,
  type Sale,
  securePage,
  settledPage,
} from '../pages/sandbox-checkout.ts'
import { createSandboxPages, type SandboxPages } from '../pages/sandbox-frame.ts'
import { invoiceText, PORTAL_ACTIONS, planOfAmount, portalPage } from '../pages/sandbox-portal.ts'
import type { ApiParts } from '../parts.ts'

type Params = { Params: { session: string } }

/**
 * Checkout and portal of the sandbox, as a payment provider would serve them on its own site. They reach the accounts by
 * signed webhooks only. The caller keeps strangers out.
 */
export async function addSandboxRoutes(
  app: FastifyInstance,
  parts: Pick<ApiParts, 'accounts' | 'designRoot' | 'webRoot' | 'clock' | 'brand'> & {
    sandbox: SandboxBilling
  },
  pages: Pages,
): Promise<void> {
  await app.register(async (scope) => {
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string' },
      (_request, body: string, done) => done(null, Object.fromEntries(new URLSearchParams(body))),
    )
    const sandboxPages = createSandboxPages(parts, pages)
    addCheckout(scope, parts, sandboxPages)
    addPortal(scope, parts, sandboxPages)
  })
}

/** Sends webhooks to their one route, in the order in which they happened. */
export async function deliverWebhooks(
  app: FastifyInstance,
  webhooks: readonly SignedWebhook[],
): Promise<void> {
  for (const { body, signature } of webhooks) {
    const answer = await app.inject({
      method: LATER_PATHS.billingWebhook.method,
      url: LATER_PATHS.billingWebhook.path,
      headers: { 'content-type': 'application/json', 'paddle-signature': signature },
      payload: body,
    })
    if (answer.statusCode !== 200) throw new AppError('ERR_UNAVAILABLE')
  }
}

type SandboxParts = Pick<ApiParts, 'accounts' | 'clock' | 'brand'> & { sandbox: SandboxBilling }

function addCheckout(app: FastifyInstance, parts: SandboxParts, pages: SandboxPages): void {
  app.get<Params & { Querystring: { outcome?: string } }>(
    '/sandbox/checkout/:session',
    async (request, reply) => {
      const found = await findCheckout(parts, request.params.session)
      if (!found || found === 'expired') return pages.sendMissing(reply, found)

      const { sale, paid } = found
      const { outcome } = request.query
      if (paid === 'Paid' && outcome === 'pay') {
        return pages.send(reply, { title: paid, main: paidPage(sale) })
      }
      if (paid) return pages.send(reply, settledPage(sale, paid === 'Refunded'))
      if (outcome === '3ds') {
        return pages.send(reply, { title: 'Confirm with your bank', main: securePage(sale) })
      }
      return pages.send(reply, { title: 'Checkout', main: checkoutPage(found, outcome) })
    },
  )

  // Of a person who pays two open checkouts at once, the second is found paid.
  const alone = oneAtATime()
  app.post<Params>('/sandbox/checkout/:session', (request, reply) =>
    alone(async () => {
      const found = await findCheckout(parts, request.params.session)
      if (!found || found === 'expired') return pages.sendMissing(reply, found)

      const outcome = readChoice(request.body, 'outcome', ['pay', 'decline', '3ds', 'network'])
      if (outcome === 'pay' && !found.paid) await deliverWebhooks(app, found.pay())
      // Shown by a fresh request, so that going back or reloading pays nothing twice.
      return reply.redirect(`/sandbox/checkout/${request.params.session}?outcome=${outcome}`, 303)
    }),
  )
}

/** A checkout as its page shows it; `pay` makes the webhooks of its payment. */
type Checkout = Readonly<{
  sale: Sale
  email: string
  /** Whether this session has paid, somebody before it, or the money is back. */
  paid: 'Paid' | 'Already paid' | 'Refunded' | undefined
  pay(): SignedWebhook[]
}>

async function findCheckout(
  { accounts, sandbox, clock }: SandboxParts,
  token: string,
): Promise<Checkout | 'expired' | undefined> {
  const session = await sandbox.readCheckout(token)
  if (session === 'expired' || session === undefined) return session
  const account = await accounts.getAccount(session.accountId).catch(gone)
  if (!account) return undefined
  const email = account.user.Email

  if ('orderId' in session) {
    const order = await accounts.findOrder(session.accountId, session.orderId)
    if (!order || order.status === 'sample') return undefined
    const isUnpaid = order.status === 'awaiting_payment' || order.status === 'lapsed'
    const paid = isUnpaid ? undefined : order.status === 'refunded' ? 'Refunded' : 'Paid'
    return { sale: orderSale(order), email, paid, pay: () => sandbox.payOrder(order) }
  }
  const plan = planById(session.planId)
  if (!plan) return undefined
  const payments = await accounts.listPayments(session.accountId)
  const isOwn = payments.some(({ subscriptionId }) => subscriptionId === session.subscriptionId)
  const paid = account.paidSubscription ? (isOwn ? 'Paid' : 'Already paid') : isOwn ? 'Refunded' : undefined
  const now = new Date(clock())
  return { sale: planSale(plan, nextRenewal(now, now)), email, paid, pay: () => sandbox.pay(session) }
}

function addPortal(
  app: FastifyInstance,
  { accounts, sandbox, brand }: SandboxParts,
  pages: SandboxPages,
): void {
  app.get<Params>('/sandbox/portal/:session', async (request, reply) => {
    const found = await findPortal(accounts, sandbox, request.params.session)
    if (!found || found === 'expired') return pages.sendMissing(reply, found)

    const path = `/sandbox/portal/${request.params.session}`
    return pages.send(reply, { title: 'Manage plan', main: portalPage({ ...found, path }) })
  })

  app.post<Params>('/sandbox/portal/:session', async (request, reply) => {
    const found = await findPortal(accounts, sandbox, request.params.session)
    if (!found || found === 'expired') return pages.sendMissing(reply, found)

    const action = readChoice(request.body, 'action', PORTAL_ACTIONS)
    await deliverWebhooks(app, portalWebhooks(sandbox, found, action))
    return reply.redirect(`/sandbox/portal/${request.params.session}`, 303)
  })

  app.get<{ Params: { session: string; invoice: string } }>(
    '/sandbox/portal/:session/invoices/:invoice',
    async (request, reply) => {
      const found = await findPortal(accounts, sandbox, request.params.session)
      if (!found || found === 'expired') return pages.sendMissing(reply, found)
      const payment = found.payments.find(({ transactionId }) => transactionId === request.params.invoice)
      if (!payment) return pages.sendMissing(reply, undefined)

      const day = payment.paidAt.toISOString().slice(0, 10)
      return reply
        .type('text/plain; charset=utf-8')
        .header('cache-control', 'no-store')
        .header(
          'content-disposition',
          `attachment; filename="${brand.isOwn ? '' : 'pairwire-'}test-invoice-${day}.txt"`,
        )
        .send(
          invoiceText({
            service: brand.name,
            email: found.email,
            payment,
            planName: planOfAmount(payment.amount)?.name,
          }),
        )
    },
  )
}

/** The webhooks of a portal button. On an outdated page a press sends nothing that is already in effect. */
function portalWebhooks(
  sandbox: SandboxBilling,
  { subscription, payments }: { subscription: PaidSubscription | undefined; payments: readonly Payment[] },
  action: (typeof PORTAL_ACTIONS)[number],
): SignedWebhook[] {
  if (!subscription) return []
  switch (action) {
    case 'cancel':
    case 'keep':
      return subscription.isCancelled === (action === 'cancel') ? [] : sandbox[action](subscription)
    case 'refund': {
      const last = payments.find(({ subscriptionId }) => subscriptionId === subscription.subscriptionId)
      return last ? sandbox.refund(last) : []
    }
    case 'refund-other':
      return sandbox.refundOther(subscription)
    case 'reprice':
      return sandbox.reprice(subscription)
  }
}

async function findPortal(accounts: Accounts, sandbox: SandboxBilling, token: string) {
  const session = await sandbox.readPortal(token)
  if (session === 'expired' || session === undefined) return session

  const account = await accounts.getAccount(session.accountId).catch(gone)
  if (!account) return undefined
  const subscription = await accounts.getPaidSubscription(session.accountId)
  const payments = await accounts.listPayments(session.accountId)
  return {
    email: account.user.Email,
    subscription: subscription?.provider === SANDBOX ? subscription : undefined,
    payments: payments.filter(({ provider }) => provider === SANDBOX),
  }
}

/** A deleted account has no pages; other errors pass through. */
function gone(error: unknown): undefined {
  if (error instanceof AppError && error.errorType === 'ERR_LOGIN_REQUIRED') return undefined
  throw error
}

/** The button that was pressed. @throws AppError ERR_VALIDATION for one that the form does not have */
function readChoice<Choice extends string>(body: unknown, name: string, choices: readonly Choice[]): Choice {
  const pressed = isObject(body) ? body[name] : undefined
  const choice = choices.find((one) => one === pressed)
  if (!choice) throw new AppError('ERR_VALIDATION')
  return choice
}
