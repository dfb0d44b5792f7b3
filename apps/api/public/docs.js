import { copyFrom } from './copy.js'
import { keepLanguage, markTab, readLanguage, walkTabs } from './languages.js'

/** The docs: code tabs that share a language, Copy, fields that highlight their places, search, and the user's key. */

const said = document.querySelector('#said')

for (const list of document.querySelectorAll('[role="tablist"]')) {
  walkTabs(list, (language) => {
    keepLanguage(language)
    showLanguage(language)
  })
}
const remembered = readLanguage()
if (remembered) showLanguage(remembered)

function showLanguage(language) {
  for (const figure of document.querySelectorAll('.code-tabs')) {
    if (!markTab(figure.querySelector('[role="tablist"]'), language)) continue
    const panel = figure.querySelector('[role="tabpanel"]')
    panel.setAttribute('aria-labelledby', figure.querySelector(`[data-language="${language}"]`).id)
    for (const block of panel.children) block.hidden = block.dataset.language !== language
  }
}

document.addEventListener('click', async (event) => {
  const button = event.target.closest('[data-copy]')
  if (!button) return
  const figure = button.closest('figure')
  const { from } = button.dataset
  const shown = [...(figure?.querySelectorAll('pre') ?? [])].find((block) => !block.hidden)
  copyFrom(button, from ? await readTwin(from) : (figure.textToCopy?.() ?? shown.textContent), said)
})

/** The page's twin in Markdown; undefined without a connection. */
async function readTwin(address) {
  const answer = await fetch(address).catch(() => undefined)
  return answer?.ok ? answer.text() : undefined
}

/** Pointing at a field marks it everywhere: in the list, in the frame and in the row. */
let marked
for (const type of ['pointerover', 'focusin']) {
  document.addEventListener(type, (event) => {
    const path = event.target.closest?.('[data-field]')?.dataset.field
    if (path === marked) return
    marked = path
    for (const part of document.querySelectorAll('[data-field].is-marked')) part.classList.remove('is-marked')
    if (path === undefined) return
    for (const part of document.querySelectorAll(`[data-field="${CSS.escape(path)}"]`)) {
      part.classList.add('is-marked')
    }
  })
}

const query = document.querySelector('#docs-query')
query.form.addEventListener('submit', (event) => event.preventDefault())
query.addEventListener(
  'focus',
  () => {
    const sayAway = () => {
      const found = document.querySelector('#docs-found')
      found.hidden = false
      found.textContent = 'The search does not answer. Reload the page to try again.'
    }
    import('./docs-search.js').then(({ attachSearch }) => attachSearch(query)).catch(sayAway)
  },
  { once: true },
)
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return
  if (event.target.closest('input, textarea, select')) return
  event.preventDefault()
  query.focus()
  query.select()
})

const ownKey = document.querySelector('#own-key')
if (ownKey && hasToken()) import('./docs-key.js').then(({ showOwnKey }) => showOwnKey(ownKey))

function hasToken() {
  try {
    return localStorage.getItem('token') !== null
  } catch {
    return false
  }
}
