/** Tells people from programs at registration. */
export type Captcha = Readonly<{
  provider: 'altcha' | 'recaptcha'
  /** What the provider's script in the browser needs. */
  siteKey: string | undefined
  /** Sources that the pages' policy must allow beside their own. */
  sources: Readonly<{ script: readonly string[]; frame: readonly string[] }>
  /**
   * Creates a challenge; undefined for providers that create their own in the browser. Its work doubles with each `level`
   * above 0, the level of most people, up to a limit.
   */
  challenge: ((level: number) => Promise<Record<string, unknown>>) | undefined
  /**
   * Checks the solution in a register call and uses it up, right or wrong.
   *
   * @param address the caller's
   * @throws AppError CAPTCHA_FAILED, or ERR_UNAVAILABLE if the provider cannot be reached
   */
  verify(token: string, address: string): Promise<void>
}>
