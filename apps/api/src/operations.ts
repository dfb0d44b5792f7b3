import {
  type Account,
  AppError,
  ORDER_STATUSES,
  OrderBody,
  type PlanId,
  planById,
  planByName,
} from '@pairwire/contract'
import { z } from 'zod'
import {
  createOrderOperations,
  type OrderOperationParts,
  type PrintedOrder,
} from './history/order-operations.ts'

/** A verb of the operator's tool on accounts or status, as sent over the control socket. */
export const OperatorRequest = z.discriminatedUnion('verb', [
  z.object({ verb: z.literal('status add'), details: z.string() }),
  z.object({ verb: z.literal('status clear') }),
  z.object({
    verb: z.literal('account create'),
    emails: z.array(z.string()).min(1),
    plan: z.string().optional(),
  }),
  z.object({ verb: z.literal('account show'), email: z.string() }),
  z.object({
    verb: z.literal('account plan'),
    email: z.string(),
    plan: z.string(),
    connections: z.number().int().min(1).max(100_000).optional(),
  }),
  z.object({ verb: z.literal('key reset'), email: z.string() }),
  z.object({ verb: z.literal('order create'), email: z.string(), ...OrderBody.shape }),
  z.object({ verb: z.literal('order list'), state: z.enum(ORDER_STATUSES).exclude(['sample']).optional() }),
  z.object({ verb: z.literal('order show'), id: z.number().int() }),
  z.object({ verb: z.literal('order refund'), id: z.number().int(), yes: z.literal(true) }),
])
export type OperatorRequest = z.infer<typeof OperatorRequest>

/** Takes an account or an order that a verb prints, as one line of JSON. */
export type Print = (line: Account | PrintedOrder) => void

/**
 * Runs one verb. Its parts pass control messages to the gateways, `noticesChanged` updates the notices on the pages, `print`
 * gets each account or order as soon as it is done.
 *
 * @throws AppError on a refusal
 */
export async function runOperation(
  request: OperatorRequest,
  parts: OrderOperationParts & { noticesChanged(): Promise<void>; print: Print },
): Promise<void> {
  const { accounts, noticesChanged, print } = parts
  const tell = parts.bus.sendControl
  const orders = createOrderOperations(parts)
  switch (request.verb) {
    case 'status add':
      await accounts.addStatus(request.details)
      return noticesChanged()
    case 'status clear':
      await accounts.clearStatus()
      return noticesChanged()
    case 'account create': {
      const planId = request.plan === undefined ? null : readPlan(request.plan)
      for (const email of request.emails) {
        const { account } = await accounts.createAccount(email)
        print(planId ? (await accounts.grantPlan(email, planId)).account : account)
      }
      return
    }
    case 'account show':
      return print((await accounts.findAccount(request.email)).account)
    case 'account plan': {
      const planId = readPlan(request.plan)
      const { accountId, account } = await accounts.grantPlan(request.email, planId, request.connections)
      await tell({ type: 'planChanged', accountId })
      return print(account)
    }
    case 'key reset': {
      const { accountId } = await accounts.findAccount(request.email)
      const account = await accounts.resetKey(accountId)
      await tell({ type: 'keyReset', accountId })
      return print(account)
    }
    case 'order create':
      return print(await orders.create(request.email, request))
    case 'order list':
      for (const order of await orders.list(request.state)) print(order)
      return
    case 'order show':
      return print(await orders.show(request.id))
    case 'order refund':
      return print(await orders.refund(request.id))
  }
}

/** A plan by its id, its name in any case and spacing, or the name's first word; `none` for no plan. */
function readPlan(text: string): PlanId | null {
  if (text.toLowerCase() === 'none') return null
  const plan =
    planByName(text) ??
    planById(Number(text)) ??
    (/^new[ -]?pairs([ -]?only)?$/i.test(text) ? planById(1) : undefined)
  if (!plan)
    throw new AppError('ERR_VALIDATION', `There is no plan "${text}". Plans: newpairs, basic, pro, none.`)
  return plan.id
}
