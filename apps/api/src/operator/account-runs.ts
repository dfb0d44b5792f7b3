import type { ProviderSubscription } from '@pairwire/accounts'
import { AppError, type PlanId, planById, planByName } from '@pairwire/contract'
import { endAtProvider } from '../adapters/end-at-provider.ts'
import { readDetails } from './account-details.ts'
import { actOutside } from './act-outside.ts'
import { wrongCursor } from './place.ts'
import type { CallParts, NamesOf, Runs } from './run.ts'
import { withTimes } from './with-times.ts'

/** Verbs on people, their plans and keys. */
export const accountRuns: Runs<NamesOf<'account' | 'key' | 'webhook'>> = {
  async 'account list'({ search, plan, state, sort = 'seen', limit, cursor }, { accounts }) {
    const planId = plan === undefined ? undefined : readPlan(plan)
    const after = cursor === undefined ? undefined : readCursor(cursor)
    const { people, next } = await accounts.listAccounts({ search, plan: planId, state, sort, after, limit })
    return { rows: people, next: next ? JSON.stringify([next.key, next.id]) : null }
  },
  async *'account create'({ emails, plan }, { accounts, by }) {
    const planId = plan === undefined ? null : readPlan(plan)
    for (const email of emails) {
      const { account } = await accounts.createAccount(email, by)
      yield planId ? (await accounts.grantPlan(email, planId, undefined, { by })).account : account
    }
  },
  async *'account invite'({ email, plan }, { accounts, by }) {
    const planId = plan === undefined ? null : readPlan(plan)
    const { account } = await accounts.createAccount(email, by, { isInvited: true })
    yield planId ? (await accounts.grantPlan(email, planId, undefined, { by })).account : account
  },
  async *'account details'({ who }, parts) {
    yield await readDetails(who, parts)
  },
  async *'account show'({ who }, { accounts, readsOnly }) {
    const { accountId, account } = await accounts.findAccount(who)
    if (!readsOnly) return yield account
    // The key itself would be more than reading: with it one streams on the account's plan.
    yield { ...account, user: { ...account.user, APIKey: (await accounts.readPerson(accountId)).keyHint } }
  },
  'account plan'({ who, plan, connections, until, reason }, parts) {
    const terms = { until: until === undefined ? undefined : new Date(until), reason, by: parts.by }
    return tellPlan(parts, parts.accounts.grantPlan(who, readPlan(plan), connections, terms))
  },
  'account trial'({ who, days, plan }, parts) {
    const planId = plan === undefined ? undefined : readPlan(plan)
    if (planId === null) {
      throw new AppError('ERR_VALIDATION', 'A trial needs a plan: newpairs, basic or pro.')
    }
    return tellPlan(parts, parts.accounts.giveTrial(who, { days, planId }, parts.by))
  },
  async *'account notes'({ who }, { accounts }) {
    yield* (await accounts.listNotes(who)).map(withTimes)
  },
  async *'account note'({ who, note }, { accounts, by }) {
    yield withTimes(await accounts.addNote(who, note, by))
  },
  'account suspend': ({ who, ...why }, parts) => tellPlan(parts, parts.accounts.suspend(who, why, parts.by)),
  'account unsuspend': ({ who }, parts) => tellPlan(parts, parts.accounts.unsuspend(who, parts.by)),
  async *'webhook list'({ who }, { accounts }) {
    yield* await accounts.listWebhooks(await accounts.findWhoId(who))
  },
  async *'account sessions'({ who, end }, { accounts, by }) {
    const accountId = await accounts.findWhoId(who)
    const open = await accounts.listSessions(accountId)
    if (end) await accounts.endSessions(accountId, by)
    yield* open.map(withTimes)
  },
  async 'account delete'({ who }, { accounts, billing, bus, by }) {
    const accountId = await accounts.findWhoId(who)
    const end = (subscription: ProviderSubscription) => {
      const act = { accountId, changes: { subscription: [subscription.subscriptionId, 'ended'] } }
      return actOutside(accounts, by, act, () => endAtProvider(billing, subscription))
    }
    await accounts.deleteAccount(accountId, end, by)
    await bus.sendControl({ type: 'accountDeleted', accountId })
  },
  async *'key reset'({ who }, { accounts, bus, by }) {
    const accountId = await accounts.findWhoId(who)
    const account = await accounts.resetKey(accountId, by)
    await bus.sendControl({ type: 'keyReset', accountId })
    yield account
  },
}

/** Tells the gateways of a change, and prints the account. */
async function* tellPlan({ accounts, bus }: CallParts, change: ReturnType<typeof accounts.findAccount>) {
  const { accountId, account } = await change
  await bus.sendControl({ type: 'planChanged', accountId })
  yield account
}

/** A plan by its id, its name in any case and spacing, or the name's first word; `none` for no plan. */
function readPlan(text: string): PlanId | null {
  if (text.toLowerCase() === 'none') return null
  const plan =
    planByName(text) ??
    planById(Number(text)) ??
    // The words of the tool stay where plans have other names.
    planById([/^new[ -]?pairs([ -]?only)?$/i, /^basic$/i, /^pro$/i].findIndex((word) => word.test(text)) + 1)
  if (!plan)
    throw new AppError('ERR_VALIDATION', `There is no plan "${text}". Plans: newpairs, basic, pro, none.`)
  return plan.id
}

/** The place in a list that its last page ended at, as `account list` wrote it. @throws ERR_VALIDATION */
function readCursor(cursor: string): { key: string; id: string } {
  const [, key, id] = /^\["([^"\\]*)","([0-9a-f-]{36})"\]$/.exec(cursor) ?? []
  if (key === undefined || id === undefined) throw wrongCursor()
  return { key, id }
}
