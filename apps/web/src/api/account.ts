import type { Account as ContractAccount } from '@pairwire/contract'
import { noAnswer } from './api-error.ts'

type ContractPlan = NonNullable<ContractAccount['activeSubscription']>

/** The plan in force. `connectionLimit` is absent where the server does not say. */
export type ActiveSubscription = Omit<ContractPlan, 'connectionLimit'> & {
  connectionLimit?: number | undefined
}

/** The account as the pages see it: the contract's, with what is empty left out. */
export type Account = Readonly<{
  user: ContractAccount['user']
  activeSubscription?: ActiveSubscription | undefined
  paidSubscription?: ContractAccount['paidSubscription'] | undefined
  hasHadFreeTrial: boolean
}>

/**
 * The account in `answer`, read tolerantly: unknown members are ignored; empty, null and absent are alike.
 *
 * @throws ApiError when it holds no user.
 */
export function readAccount(answer: unknown): Account {
  const account = readRecord(answer)
  const user = readRecord(account?.user)
  if (!account || !user) throw noAnswer()

  const created = readDate(user.CreatedAt)
  return {
    user: {
      ID: readText(user.ID),
      Email: readText(user.Email),
      APIKey: readText(user.APIKey),
      CreatedAt: Number.isNaN(Date.parse(created)) ? '' : created,
    },
    activeSubscription: readActive(account.activeSubscription),
    paidSubscription: readPaid(account.paidSubscription),
    hasHadFreeTrial: account.hasHadFreeTrial === true,
  }
}

function readActive(value: unknown): ActiveSubscription | undefined {
  const plan = readRecord(value)
  const planName = readText(plan?.planName)
  if (!plan || planName === '') return undefined
  return {
    planName,
    isFreeTrial: plan.isFreeTrial === true,
    willCancel: readDate(plan.willCancel),
    renewalDate: readDate(plan.renewalDate),
    connectionLimit: readCount(plan.connectionLimit),
  }
}

function readPaid(value: unknown): Account['paidSubscription'] {
  const plan = readRecord(value)
  if (!plan || Object.keys(plan).length === 0) return undefined
  return {
    planName: readText(plan.planName),
    forbidManageSubscription: plan.forbidManageSubscription === true,
  }
}

function readRecord(value: unknown): Record<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return value as Record<string, unknown> // an object that is no list can be asked for any name
}

/** A date as text; numbers are Unix seconds or milliseconds, which lie a thousandfold apart. */
function readDate(value: unknown): string {
  const text = readText(value).trim()
  const number = Number(text)
  if (text === '' || Number.isNaN(number)) return text
  const date = new Date(number < 1e11 ? number * 1_000 : number)
  return number === 0 || Number.isNaN(date.getTime()) ? '' : date.toISOString()
}

function readCount(value: unknown): number | undefined {
  const text = readText(value).trim()
  return /^\d+$/.test(text) ? Number(text) : undefined
}

/** IDs may be numbers on the wire of an older server; what is no text and no number counts as empty. */
function readText(value: unknown): string {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' ? value : ''
}
