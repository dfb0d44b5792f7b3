import { Account as ContractAccount } from '@pairwire/contract/answers'
import { readAnswer } from './read-answer.ts'

/** The account for the pages: the contract's, without empty values and with dates in one form. */
export type Account = ContractAccount

/**
 * The account in `answer`.
 *
 * @throws ApiError when it holds no user.
 */
export function readAccount(answer: unknown): Account {
  const { user, activeSubscription: plan, ...others } = readAnswer(ContractAccount, answer, readText)
  const created = readDate(user.CreatedAt)
  return {
    ...others,
    user: { ...user, CreatedAt: Number.isNaN(Date.parse(created)) ? '' : created },
    ...(plan?.planName && {
      activeSubscription: {
        ...plan,
        willCancel: readDate(plan.willCancel),
        renewalDate: readDate(plan.renewalDate),
      },
    }),
  }
}

/** Reads a date as text; numbers are Unix seconds or milliseconds, which differ by a factor of a thousand. */
function readDate(given: string): string {
  const text = given.trim()
  const number = Number(text)
  if (text === '' || Number.isNaN(number)) return text
  const date = new Date(number < 1e11 ? number * 1_000 : number)
  return number === 0 || Number.isNaN(date.getTime()) ? '' : date.toISOString()
}

/** IDs and dates may be numbers from an older server. */
function readText(value: unknown): string {
  return typeof value === 'number' || typeof value === 'string' ? String(value) : ''
}
