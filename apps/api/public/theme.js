/** The theme chosen in the dashboard, before the first paint; without a choice the system's applies. */
try {
  const theme = window.localStorage.getItem('theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // Storage is closed to us: the system's theme applies.
}

/** Whether somebody is signed in to the dashboard, so that the top bar offers the right way on from its first paint. */
try {
  const [, claims] = window.localStorage.getItem('token').split('.')
  const { exp } = JSON.parse(window.atob(claims.replaceAll('-', '+').replaceAll('_', '/')))
  if (exp === undefined || exp * 1000 > Date.now()) document.documentElement.dataset.session = 'open'
} catch {
  // There is no token to read: nobody is.
}
