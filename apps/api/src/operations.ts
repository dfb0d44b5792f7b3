import type { Accounts } from '@pairwire/accounts'
import {
  type Account,
  AppError,
  type ControlMessage,
  type PlanId,
  planById,
  planByName,
} from '@pairwire/contract'
import { z } from 'zod'

/** A verb of the operator's tool that touches accounts or status, as it travels over the control socket. */
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
])
export type OperatorRequest = z.infer<typeof OperatorRequest>

/** What a verb prints: accounts, one line of JSON each, or nothing. */
export type OperatorAnswer = readonly Account[]

/**
 * Runs one verb. `tell` passes control messages to the gateways, `noticesChanged` has the pages show what stands now.
 *
 * @throws AppError on a refusal
 */
export async function runOperation(
  request: OperatorRequest,
  {
    accounts,
    tell,
    noticesChanged,
  }: {
    accounts: Accounts
    tell(message: ControlMessage): Promise<void>
    noticesChanged(): Promise<void>
  },
): Promise<OperatorAnswer> {
  switch (request.verb) {
    case 'status add':
      await accounts.addStatus(request.details)
      await noticesChanged()
      return []
    case 'status clear':
      await accounts.clearStatus()
      await noticesChanged()
      return []
    case 'account create': {
      const planId = request.plan === undefined ? null : readPlan(request.plan)
      const made: Account[] = []
      for (const email of request.emails) {
        const { account } = await accounts.createAccount(email)
        made.push(planId ? (await accounts.grantPlan(email, planId)).account : account)
      }
      return made
    }
    case 'account show':
      return [(await accounts.findAccount(request.email)).account]
    case 'account plan': {
      const planId = readPlan(request.plan)
      const { accountId, account } = await accounts.grantPlan(request.email, planId, request.connections)
      await tell({ type: 'planChanged', accountId })
      return [account]
    }
    case 'key reset': {
      const { accountId } = await accounts.findAccount(request.email)
      const account = await accounts.resetKey(accountId)
      await tell({ type: 'keyReset', accountId })
      return [account]
    }
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
