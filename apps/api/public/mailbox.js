/** Redraws the developer mailbox from its JSON twin every two seconds. */

const REFRESH_MS = 2_000
const TIMEOUT_MS = 5_000

const list = document.querySelector('#mails')
const message = document.querySelector('#message')
const filter = document.querySelector('#filter')
const state = document.querySelector('#mail-state')

let mails = []
/** `at` and address of the mail that was chosen; without a choice the newest is shown. */
let chosen

filter.addEventListener('input', draw)
list.addEventListener('click', (event) => {
  const button = event.target.closest('button')
  if (!button) return
  chosen = button.value
  draw()
})
filter.form.addEventListener('submit', (event) => event.preventDefault())

refresh()

async function refresh() {
  if (document.visibilityState === 'visible') {
    try {
      const answer = await fetch('/dev/mail.json', { signal: AbortSignal.timeout(TIMEOUT_MS) })
      mails = await answer.json()
      state.textContent = ''
      draw()
    } catch {
      state.textContent = 'The service does not answer. Trying again.'
    }
  }
  setTimeout(refresh, REFRESH_MS)
}

function draw() {
  const wanted = filter.value.trim().toLowerCase()
  const shown = mails.filter((mail) => mail.to.toLowerCase().includes(wanted))
  const open = shown.find((mail) => keyOf(mail) === chosen) ?? shown[0]

  const focused = document.activeElement?.closest('#mails') ? document.activeElement.value : undefined
  list.replaceChildren(...shown.map((mail) => row(mail, mail === open)))
  if (focused) list.querySelector(`button[value="${CSS.escape(focused)}"]`)?.focus()

  drawMessage(open)
}

function row(mail, isOpen) {
  const button = element('button', { type: 'button', value: keyOf(mail) })
  if (isOpen) button.setAttribute('aria-current', 'true')
  button.append(
    element('span', { className: 'mail-to' }, mail.to),
    element('span', { className: 'mail-age' }, age(mail.at)),
    element('span', { className: 'mail-subject' }, mail.subject),
  )
  const item = document.createElement('li')
  item.append(button)
  return item
}

/** Left alone while it shows the right mail, so that a link under the pointer stays where it is. */
function drawMessage(mail) {
  const key = mail ? keyOf(mail) : ''
  if (message.dataset.mail === key) return
  message.dataset.mail = key

  if (!mail) {
    message.replaceChildren(element('p', { className: 'empty' }, 'No mail yet. Ask for a login link.'))
    return
  }
  message.replaceChildren(
    element('h2', {}, mail.subject),
    element('p', { className: 'quiet' }, `To ${mail.to}, ${new Date(mail.at).toLocaleString('en-GB')}`),
    wrapped(element('a', { className: 'button primary', href: mail.link }, 'Open login link')),
    element('p', { className: 'address' }, mail.link),
  )
}

function wrapped(child) {
  const paragraph = document.createElement('p')
  paragraph.append(child)
  return paragraph
}

function element(name, properties, text) {
  const made = Object.assign(document.createElement(name), properties)
  if (text !== undefined) made.textContent = text
  return made
}

function keyOf(mail) {
  return `${mail.at} ${mail.to} ${mail.link}`
}

function age(at) {
  const seconds = Math.max(0, Math.round((Date.now() - Date.parse(at)) / 1_000))
  if (seconds < 2) return 'now'
  if (seconds < 60) return `${seconds}s ago`
  return `${Math.floor(seconds / 60)}m ${String(seconds % 60).padStart(2, '0')}s ago`
}
