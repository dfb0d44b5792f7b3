/*
 * The first script of the room, run before anything is drawn or asked for. A file of its own because the security policy
 * allows no script inside the page.
 */
;(() => {
  // The link's token leaves the address before another request or the history could include it.
  const url = new URL(window.location.href)
  const token = url.searchParams.get('t')
  if (token !== null) {
    try {
      window.sessionStorage.setItem('room.link', token)
    } catch {
      window.pairwireRoomLink = token
    }
    url.searchParams.delete('t')
    window.history.replaceState(window.history.state, '', url)
  }

  // The theme that was chosen, here or in the dashboard, is set before the first paint.
  try {
    const theme = window.localStorage.getItem('theme')
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
  } catch {
    // Storage is unavailable: the system's theme applies.
  }
})()
