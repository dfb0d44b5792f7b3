/** Brings the status page up to date every ten seconds while it is looked at. */

const REFRESH_MS = 10_000
const TIMEOUT_MS = 5_000

setInterval(refresh, REFRESH_MS)
document.addEventListener('visibilitychange', refresh)

async function refresh() {
  if (document.visibilityState !== 'visible') return
  const live = document.querySelector('#live')
  try {
    const answer = await fetch('/status', {
      headers: { accept: 'text/html' },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html').querySelector('#live')
    if (fresh) live.replaceWith(fresh)
  } catch {
    live.querySelector('.state').className = 'state down'
    live.querySelector('.state-word').textContent = 'This page lost its connection'
  }
}
