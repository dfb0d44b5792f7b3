/** Milliseconds that a submit waits for a captcha that is still being solved: slow phones, busy addresses. */
const WAIT_MS = 30_000

/** Milliseconds for which a solved captcha may be sent; the server's challenge is valid for 5 minutes. */
const FRESH_MS = 4 * 60_000

/** What a captcha needs: how a token is made, and the clock. */
type CaptchaParts = Readonly<{
  solve: () => Promise<string>
  /** Milliseconds. */
  now: () => number
  after: (ms: number) => Promise<undefined>
}>

/** What {@link createCaptcha} makes. */
export type Captcha = ReturnType<typeof createCaptcha>

/** An invisible captcha, solved in advance and used up by each submit. */
export function createCaptcha({ solve, now, after }: CaptchaParts) {
  let pending: { token: Promise<string | undefined>; since: number } | undefined

  const begin = () => {
    if (pending && now() - pending.since < FRESH_MS) return pending
    const begun = { token: solve().catch(() => undefined), since: now() }
    pending = begun
    // One that failed is not kept: the next focus or submit tries again.
    void begun.token.then((token) => {
      if (token === undefined && pending === begun) pending = undefined
    })
    return begun
  }

  return {
    /** Begins to load and solve; called at the first focus in the form. */
    warm: (): void => {
      begin()
    },
    /** A token for one submit, waited for up to 30 s; `undefined` when there is none. */
    take: async (): Promise<string | undefined> => {
      const { token } = begin()
      const solved = await Promise.race([token, after(WAIT_MS)])
      if (solved !== undefined) pending = undefined
      return solved
    },
  }
}
