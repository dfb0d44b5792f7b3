/*
 * The first script of the page, run before anything is drawn or asked for. A file of its own because the
 * security policy allows no script inside the page.
 */
;(() => {
  // The login token leaves the address before another request could include it.
  const url = new URL(window.location.href)
  const loginToken = url.searchParams.get('t')
  if (loginToken !== null && /^\/dashboard\/login\/?$/.test(url.pathname)) {
    try {
      window.sessionStorage.setItem('login.token', loginToken)
    } catch {
      window.pairwireLoginToken = loginToken
    }
    url.searchParams.delete('t')
    window.history.replaceState(window.history.state, '', url)
  }

  // The chosen theme is set before the first paint; without a choice the system's applies.
  try {
    const theme = window.localStorage.getItem('theme')
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
  } catch {
    // Storage is unavailable: the system's theme applies.
  }
})()
