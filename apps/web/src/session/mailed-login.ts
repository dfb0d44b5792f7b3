/** Where the page's first script leaves the token that it took out of the address. */
const KEY = 'login.token'

declare global {
  interface Window {
    /** The same, where the session's storage is closed to us. */
    pairwireLoginToken?: string
  }
}

/** The token of the mailed link that opened this page, given once; `undefined` when none did. */
export function takeMailedToken(): string | undefined {
  const kept = window.pairwireLoginToken
  delete window.pairwireLoginToken
  try {
    const stored = sessionStorage.getItem(KEY)
    sessionStorage.removeItem(KEY)
    return stored ?? kept
  } catch {
    return kept
  }
}
