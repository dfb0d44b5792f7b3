import { messageOf } from '@pairwire/basics'
import { AppError } from '@pairwire/contract'
import { findVerb } from '@pairwire/contract/operator'
import type { NamesOf, Runs } from './run.ts'
import { readAdminAllow } from './session/admin-allow.ts'
import { withTimes } from './with-times.ts'

/** Verbs on tokens for programs. */
export const tokenRuns: Runs<NamesOf<'token'>> = {
  async *'token add'({ name, verbs, from = null, until }, { accounts, by }) {
    if (from !== null) checkRanges(from)
    const allowed = {
      ...{ name, from, verbs: verbs === undefined ? null : readVerbs(verbs) },
      until: until === undefined ? null : new Date(until),
    }
    yield withTimes({ ...allowed, token: await accounts.addToken(allowed, by) })
  },
  async 'token list'(_input, { accounts }) {
    return { rows: (await accounts.listTokens()).map(withTimes), next: null }
  },
  async 'token remove'({ name }, { accounts, by }) {
    await accounts.removeToken(name, by)
  },
}

/** Verbs with commas between, each one that may be called over HTTP. */
function readVerbs(text: string): string[] {
  return text.split(',').map((part) => {
    const name = part.trim().replace(/\s+/g, ' ')
    const found = findVerb(name)
    if (found && found.verb.access !== 'machine') return name
    throw new AppError('ERR_VALIDATION', `"${name}" is no verb that a token may use.`)
  })
}

function checkRanges(from: string): void {
  try {
    readAdminAllow(from)
  } catch (error) {
    throw new AppError('ERR_VALIDATION', `--from: ${messageOf(error)}`)
  }
}
