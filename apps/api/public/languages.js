/** The language of the code examples, remembered in this browser for every page that shows them. */

const KEY = 'docs.language'

export function readLanguage() {
  try {
    return localStorage.getItem(KEY) ?? ''
  } catch {
    return ''
  }
}

export function keepLanguage(language) {
  try {
    localStorage.setItem(KEY, language)
  } catch {
    // The choice lasts until the page is left.
  }
}

/** Lets Left, Right, Home and End move along a row of tabs, and reports the chosen one. */
export function walkTabs(list, choose) {
  const tabs = [...list.querySelectorAll('[role="tab"]')]
  list.addEventListener('click', (event) => {
    const tab = event.target.closest('[role="tab"]')
    if (tab) choose(tab.dataset.language)
  })
  list.addEventListener('keydown', (event) => {
    const at = tabs.indexOf(document.activeElement)
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key]
    if (at < 0 || next === undefined) return
    event.preventDefault()
    const tab = tabs[(next + tabs.length) % tabs.length]
    tab.focus()
    choose(tab.dataset.language)
  })
}

/** Marks the tab of a language as chosen; `false` if there is none. */
export function markTab(list, language) {
  const tabs = [...list.querySelectorAll('[role="tab"]')]
  if (!tabs.some((tab) => tab.dataset.language === language)) return false
  for (const tab of tabs) {
    const chosen = tab.dataset.language === language
    tab.setAttribute('aria-selected', String(chosen))
    tab.tabIndex = chosen ? 0 : -1
  }
  return true
}
