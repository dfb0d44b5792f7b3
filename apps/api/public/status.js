/** Keeps the status page up to date while it is visible: new figures every ten seconds, their age every second. */

const REFRESH_MS = 10_000
const TIMEOUT_MS = 5_000

let isReading = false
let readAt = Date.now()

tellAge()
setInterval(tellAge, 1_000)
setInterval(refresh, REFRESH_MS)
document.addEventListener('visibilitychange', () => {
  if (Date.now() - readAt >= REFRESH_MS) refresh()
})

async function refresh() {
  if (document.visibilityState !== 'visible' || isReading) return
  isReading = true
  const live = document.querySelector('#live')
  try {
    const answer = await fetch('/status', {
      headers: { accept: 'text/html' },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html').querySelector('#live')
    if (!fresh) throw new Error('The answer is not a status page.')
    replace(live, fresh)
    readAt = Date.now()
  } catch {
    live.querySelector('.state').className = 'state down'
    live.querySelector('.state-word').textContent = 'This page lost its connection'
  }
  isReading = false
  tellAge()
}

/** Inserts the fresh figures; tables stay open, scrolled and focused as they are. */
function replace(live, fresh) {
  for (const open of live.querySelectorAll('details[open]')) {
    const twin = fresh.querySelector(`details[data-name="${open.dataset.name}"]`)
    if (twin) twin.open = true
  }
  const scrolled = [...live.querySelectorAll('details[open] .table')].map((table) => ({
    name: table.closest('details').dataset.name,
    top: table.scrollTop,
  }))
  const focused = document.activeElement?.closest('details')
  const focusedTag = document.activeElement?.tagName === 'SUMMARY' ? 'summary' : '.table'

  live.replaceWith(fresh)
  for (const { name, top } of scrolled) {
    const table = fresh.querySelector(`details[data-name="${name}"] .table`)
    if (table) table.scrollTop = top
  }
  if (focused) {
    fresh
      .querySelector(`details[data-name="${focused.dataset.name}"] ${focusedTag}`)
      ?.focus({ preventScroll: true })
  }
}

function tellAge() {
  const seconds = Math.max(0, Math.round((Date.now() - readAt) / 1_000))
  const checked = document.querySelector('#checked')
  if (checked) checked.textContent = seconds < 1 ? 'now' : `${seconds}s ago`
}
