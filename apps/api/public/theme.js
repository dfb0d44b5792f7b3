/** The theme chosen in the dashboard, before the first paint; without a choice the system's applies. */
try {
  const theme = window.localStorage.getItem('theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // Storage is closed to us: the system's theme applies.
}
