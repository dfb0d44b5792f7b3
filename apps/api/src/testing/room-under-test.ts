import { codeOf, STEP_MS } from '@pairwire/accounts/testing/authenticator'
import type { LightMyRequestResponse } from 'fastify'
import { expect } from 'vitest'
import { type ApiUnderTest, createApiUnderTest } from './api-under-test.ts'

/** What a browser at the room's page sends with each call. */
export const OWN_PAGE = { origin: 'http://localhost:23000', 'content-type': 'application/json' }

/** A browser with its cookies. */
export type Browser = Readonly<{
  cookies: Map<string, string>
  /** A call as the room's page makes it, unless `headers` says otherwise; `body` null sends none. */
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<LightMyRequestResponse>
  session(): Promise<LightMyRequestResponse>
}>

/** The room over the app under test, with an operator. */
export type RoomUnderTest = ApiUnderTest &
  Readonly<{
    operator: { email: string; secret: string }
    browser(): Browser
    /** The code that the operator's app shows, `steps` before now. */
    code(steps?: number): string
    /** The token of a link that the tool makes. */
    link(): Promise<string>
    /** The token of the link that was mailed last, once `count` mails have been sent. */
    mailedToken(count?: number): Promise<string>
    /** A browser that has signed in; a step passes, so that the next code is fresh. */
    signedIn(): Promise<Browser>
  }>

/** Builds it; `over` replaces parts of the app. */
export async function createRoomUnderTest(
  over: NonNullable<Parameters<typeof createApiUnderTest>[0]> & {
    role?: 'operator' | 'viewer'
    headers?: Record<string, string>
  } = {},
): Promise<RoomUnderTest> {
  const { role = 'operator', headers: always = OWN_PAGE, ...parts } = over
  const under = await createApiUnderTest(parts)
  const { app, accounts, clock, mailbox } = under
  const operator = await accounts.addOperator(under.email, role)
  const code = (steps = 0) => codeOf(operator.secret, Math.floor(clock.now / STEP_MS) - steps)
  const link = () => accounts.createOperatorLink(operator.email)
  const browser = (): Browser => {
    const cookies = new Map<string, string>()
    const ask = async (method: 'GET' | 'POST', url: string, payload: unknown, headers: object) => {
      const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
      const answer = await app.inject({
        ...{ method, url: `/api/operator/${url}`, headers: { cookie, ...headers } },
        ...(payload === null ? {} : { payload: payload as object }),
      })
      for (const { name, value } of answer.cookies) {
        if (value) cookies.set(name, value)
        else cookies.delete(name)
      }
      return answer
    }
    return {
      cookies,
      post: (path, body = {}, headers = {}) => ask('POST', path, body, { ...always, ...headers }),
      session: () => ask('GET', 'session', null, {}),
    }
  }
  return {
    ...under,
    ...{ operator, browser, code, link },
    async mailedToken(count = 1) {
      await expect.poll(() => under.mailsSettled().then(() => mailbox.list().length)).toBe(count)
      const mail = mailbox.list().find(({ link }) => link.includes('/sign-in?'))
      return new URL(mail!.link).searchParams.get('t')!
    },
    async signedIn() {
      const signed = browser()
      const answer = await signed.post('session/open', { t: await link(), code: code() })
      expect(answer.statusCode).toBe(200)
      clock.now += STEP_MS
      return signed
    },
  }
}
