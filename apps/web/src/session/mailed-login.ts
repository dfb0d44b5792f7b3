/** Where the page's first script puts the token that it took out of the address. */
const KEY = 'login.token'

declare global {
  interface Window {
    /** The same, for when the session storage is not available. */
    pairwireLoginToken?: string
  }
}

/** The token of the mailed link that opened this page, returned once; `undefined` when none did. */
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
