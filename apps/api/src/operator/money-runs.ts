import type { MoneyMonth, MoneySums } from '@pairwire/accounts'
import { planById } from '@pairwire/contract'
import { MONEY_SUMS, type MoneyRow } from '@pairwire/contract/operator'
import type { ApiParts } from '../parts.ts'
import { readPlace, writePlace, wrongCursor } from './place.ts'
import type { NamesOf, Runs } from './run.ts'

/** Months of figures, unless the call says. */
const MONTHS = 12

/** Verbs on money. */
export const moneyRuns: Runs<NamesOf<'money' | 'payments'>> = {
  async 'money show'({ months = MONTHS, limit, cursor = '0' }, { accounts, clock }) {
    const read = await accounts.readMoney({ until: new Date(clock()), months })
    const rows = read.flatMap((month, at) => toRows(month, at === read.length - 1))
    if (!/^\d+$/.test(cursor)) throw wrongCursor()
    const end = Number(cursor) + limit
    return { rows: rows.slice(Number(cursor), end), next: end < rows.length ? String(end) : null }
  },
  async 'payments list'({ account, since, limit, cursor }, { accounts, billing }) {
    const accountId = account === undefined ? undefined : await accounts.findWhoId(account)
    const wanted = { accountId, since: since ? new Date(since) : undefined, before: readPlace(cursor) }
    const charges = await accounts.listCharges(wanted, limit)
    const last = charges.length < limit ? undefined : charges.at(-1)
    return {
      rows: charges.map(({ planId, ...charge }) => ({
        ...charge,
        plan: planId === null ? null : (planById(planId)?.name ?? String(planId)),
        url: pageOf(billing, charge.provider, 'transaction', charge.transactionId),
      })),
      next: last ? writePlace(last.paidAt, last.id) : null,
    }
  },
}

/** The provider's own page on a subscription or payment; null if it has none, or is not the one that is used here. */
export function pageOf(
  billing: ApiParts['billing'],
  provider: string | null,
  kind: 'subscription' | 'transaction',
  id: string | null,
): string | null {
  return id === null || provider !== billing?.provider ? null : (billing.pageOf?.(kind, id) ?? null)
}

/** A row for each currency of a month, or one without any if no money moved. */
function toRows({ month, counts, plans, currencies }: MoneyMonth, isRunning: boolean): MoneyRow[] {
  const found: readonly [string, MoneySums | undefined][] = Object.entries(currencies)
  const { churned, payingAtStart, trialsPaid, trialsBegun, trialsOpen } = counts
  const share = (part: number, whole: number) => (whole === 0 ? null : part / whole)
  const people = {
    isSoFar: isRunning || trialsOpen > 0,
    ...counts,
    churnShare: share(churned, payingAtStart),
    conversionShare: share(trialsPaid, trialsBegun),
    plans: { ...plans },
  }
  return (found.length > 0 ? found : [['', undefined] as const]).map(([currency, sums]) => {
    const texts = MONEY_SUMS.map((name) => [name, String(sums?.[name] ?? 0n)])
    return { month, currency, ...people, ...(Object.fromEntries(texts) as Record<keyof MoneySums, string>) }
  })
}
