import { operatorLinkOf } from '@pairwire/accounts'
import type { NamesOf, Runs } from './run.ts'
import { roomOf } from './session/room.ts'
import { withTimes } from './with-times.ts'

/** Verbs on operators. */
export const operatorRuns: Runs<NamesOf<'operator'>> = {
  async *'operator add'({ email, viewer }, parts) {
    const { token, ...made } = await parts.accounts.addOperator(
      email,
      viewer ? 'viewer' : 'operator',
      parts.by,
    )
    yield { ...made, link: operatorLinkOf(roomOf(parts).url, token) }
  },
  async *'operator code'({ email }, { accounts, by }) {
    yield await accounts.resetOperatorCode(email, by)
  },
  async *'operator link'({ email }, parts) {
    yield {
      link: operatorLinkOf(roomOf(parts).url, await parts.accounts.createOperatorLink(email, parts.by)),
    }
  },
  async 'operator list'(_input, { accounts }) {
    return { rows: (await accounts.listOperators()).map(withTimes), next: null }
  },
  async 'operator remove'({ email }, { accounts, by }) {
    await accounts.removeOperator(email, by)
  },
}
