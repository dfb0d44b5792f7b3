import type {
  Connections,
  LoginBody,
  PlanBody,
  PublicConfig,
  RegisterBody,
  UsageDay,
} from '@pairwire/contract'
import { AuthenticateAnswer, LogosAnswer, TokensAnswer, UrlAnswer } from '@pairwire/contract/answers'
import { PATHS } from '@pairwire/contract/paths'
import { type Account, readAccount } from './account.ts'
import { noAnswer } from './api-error.ts'
import { callApi } from './http-client.ts'
import { readPublicConfig } from './public-config.ts'
import { readAnswer } from './read-answer.ts'
import { readNotices } from './system-status.ts'
import { readConnections, readUsage } from './usage.ts'

/** For data that a server may lack: only the account's own call decides whether the session is over. */
const QUIETLY = { session: true, quiet: true } as const

/** All calls of the pages, one function each. All of them throw ApiError. */
export const api = {
  /** Exchanges the token of a mailed link for a session token. */
  async authenticate(emailToken: string): Promise<string> {
    const answer = await callApi(PATHS.authenticate, { body: { email_token: emailToken } })
    const { token } = readAnswer(AuthenticateAnswer, answer)
    if (token === '') throw noAnswer()
    return token
  },

  /** Requests a login link by mail. */
  async login(body: LoginBody): Promise<void> {
    await callApi(PATHS.login, { body })
  },

  /** Creates an account and requests its first login link by mail. */
  async register(body: RegisterBody): Promise<void> {
    await callApi(PATHS.register, { body })
  },

  /** Ends this session at the server; continues when the page is left. */
  async logout(): Promise<void> {
    await callApi(PATHS.logout, { ...QUIETLY, keepalive: true })
  },

  /** Ends every session of the account. */
  async logoutAll(): Promise<void> {
    await callApi(PATHS.logoutAll, { session: true })
  },

  /** Requests a challenge for the captcha library, as the server makes it. */
  captcha(signal?: AbortSignal): Promise<unknown> {
    return callApi(PATHS.captcha, { signal })
  },

  async config(): Promise<PublicConfig> {
    return readPublicConfig(await callApi(PATHS.config), window.location)
  },

  /** Returns the current and past state of the streams; public. */
  status(signal: AbortSignal): Promise<unknown> {
    return callApi({ method: 'GET', path: '/status.json' }, { signal })
  },

  /** The texts of the notices, the banner's first. */
  async systemStatus(signal?: AbortSignal): Promise<readonly string[]> {
    return readNotices(await callApi(PATHS.systemStatus, { signal }))
  },

  async getAccount(): Promise<Account> {
    return readAccount(await callApi(PATHS.getAccount, { session: true }))
  },

  async deleteAccount(): Promise<void> {
    await callApi(PATHS.deleteAccount, { session: true })
  },

  /** Closes every connection that uses the account's key. */
  async disconnect(): Promise<void> {
    await callApi(PATHS.disconnect, { session: true })
  },

  async resetKey(): Promise<void> {
    await callApi(PATHS.resetKey, { session: true })
  },

  /** Returns the events of the last 30 days; `undefined` from a server without usage. */
  async usage(): Promise<readonly UsageDay[] | undefined> {
    return readUsage(await callApi(PATHS.usage, QUIETLY))
  },

  async connections(): Promise<Connections | undefined> {
    return readConnections(await callApi(PATHS.connections, QUIETLY))
  },

  /** Returns the service's paths of these logos, in order; null for a missing one. */
  async logos(urls: readonly string[]): Promise<readonly (string | null)[]> {
    const { paths } = readAnswer(LogosAnswer, await callApi(PATHS.logos, { ...QUIETLY, body: { urls } }))
    // Only our own proxy: a stranger's address never reaches the page.
    return paths.map((path) => (path?.startsWith('/img/') ? path : null))
  },

  /** Returns the server's details of these tokens, by mint; null for an unknown one. */
  async tokens(mints: readonly string[]): Promise<TokensAnswer['tokens']> {
    const { method, path } = PATHS.tokens
    const answer = await callApi({ method, path: `${path}?mints=${mints.join(',')}` }, QUIETLY)
    return readAnswer(TokensAnswer, answer).tokens
  },

  async closeConnection(id: string): Promise<void> {
    await callApi(PATHS.closeConnection, { session: true, body: { id } })
  },

  async startTrial(body: PlanBody): Promise<void> {
    await callApi(PATHS.startTrial, { session: true, body })
  },

  /** Address of the payment provider's page for this account's plan. */
  async manageSubscription(): Promise<string> {
    return readUrl(await callApi(PATHS.manageSubscription, { session: true }))
  },

  /** Returns the address of the payment page for a plan, if the checkout is a page. */
  async checkout(body: PlanBody): Promise<string> {
    return readUrl(await callApi(PATHS.checkout, { session: true, body }))
  },
} as const

/** Only page addresses: the browser must never be sent to a script. */
function readUrl(answer: unknown): string {
  const { url } = readAnswer(UrlAnswer, answer)
  if (!/^(https?:\/\/|\/(?!\/))/.test(url)) throw noAnswer()
  return url
}
