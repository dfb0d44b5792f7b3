import { api } from '../../api/api.ts'
import { takeMailedToken } from '../../session/mailed-login.ts'

let exchange: Promise<string> | undefined

/**
 * The exchange of the mailed token that opened this page, begun once; `undefined` when no link did, or when its
 * outcome was read. Rendering does not count as reading: a first render may be thrown away and repeated.
 */
export function mailedExchange(): Promise<string> | undefined {
  const emailToken = takeMailedToken()
  if (emailToken !== undefined) exchange = api.authenticate(emailToken)
  // Until somebody listens, a failure must not count as unhandled.
  exchange?.catch(() => {})
  return exchange
}

/** Called by a mounted page that has received the outcome. */
export function mailedExchangeHeard(): void {
  exchange = undefined
}
