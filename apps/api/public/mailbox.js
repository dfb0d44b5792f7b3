/** Keeps the developer mailbox up to date: rereads its page every two seconds and updates this one. */

const REFRESH_MS = 2_000
const TIMEOUT_MS = 5_000

const list = document.querySelector('#mails')
const message = document.querySelector('#message')
const filter = document.querySelector('#filter')
const state = document.querySelector('#mail-state')

/** Counts requests, so that a slow one never overwrites a later one. */
let newest = 0

filter.addEventListener('input', () => go({ to: filter.value, open: '' }))
filter.form.addEventListener('submit', (event) => event.preventDefault())
list.addEventListener('click', (event) => {
  const link = event.target.closest('a')
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  go({ open: new URL(link.href).searchParams.get('open') })
})

setTimeout(keepFresh, REFRESH_MS)

async function keepFresh() {
  if (document.visibilityState === 'visible') await refresh()
  setTimeout(keepFresh, REFRESH_MS)
}

/** Changes the query of the address, and shows the result. */
function go(changes) {
  const address = new URL(location.href)
  for (const [name, value] of Object.entries(changes)) {
    if (value) address.searchParams.set(name, value)
    else address.searchParams.delete(name)
  }
  history.replaceState(null, '', address)
  refresh()
}

async function refresh() {
  const mine = ++newest
  try {
    const answer = await fetch(location.href, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
    const [mails, opened] = [page.querySelector('#mails'), page.querySelector('#message')]
    if (!answer.ok || !mails || !opened) throw new Error('not the mailbox')
    if (mine === newest) show(mails, opened)
  } catch {
    if (mine === newest) state.textContent = 'The service does not answer. Trying again.'
  }
}

function show(mails, opened) {
  state.textContent = ''
  const focused = document.activeElement?.closest('#mails a')?.getAttribute('href')
  list.replaceChildren(...mails.children)
  if (focused) list.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus()

  // Unchanged while it shows the right mail, so that a link under the pointer and a selection stay.
  if (message.dataset.mail === opened.dataset.mail) return
  message.dataset.mail = opened.dataset.mail
  message.replaceChildren(...opened.childNodes)
}
