/** Applies the theme chosen in the dashboard, before the first paint; without a choice the system's applies. */
try {
  const theme = window.localStorage.getItem('theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // Storage is not available: the system's theme applies.
}

/** Whether a user is signed in to the dashboard, so that the top bar shows the right button from its first paint. */
try {
  const [, claims] = window.localStorage.getItem('token').split('.')
  const { exp } = JSON.parse(window.atob(claims.replaceAll('-', '+').replaceAll('_', '/')))
  if (exp === undefined || exp * 1000 > Date.now()) document.documentElement.dataset.session = 'open'
} catch {
  // No token can be read, so nobody is signed in.
}
