import { copyFrom } from './copy.js'
import { keepLanguage, markTab, readLanguage, walkTabs } from './languages.js'

/** The code examples: tabs, samples, Copy, and the key on request. */

const code = document.querySelector('#code')
if (code) run()

function run() {
  const list = document.querySelector('[role="tablist"]')
  const putKey = document.querySelector('#put-key')
  const copy = document.querySelector('#copy')
  const key = keyFromAddress()
  let language = 'node'

  const show = (wanted) => {
    if (!markTab(list, wanted)) return
    language = wanted
    code.setAttribute('aria-labelledby', `tab-${wanted}`)
    const sample = document.querySelector('[name="sample"]:checked').value
    for (const block of code.children) {
      block.hidden = block.dataset.language !== wanted || block.dataset.sample !== sample
    }
    code.scrollTo(0, 0)
  }

  walkTabs(list, (chosen) => {
    keepLanguage(chosen)
    show(chosen)
  })
  for (const choice of document.querySelectorAll('[name="sample"]')) {
    choice.addEventListener('change', () => show(language))
  }
  putKey.addEventListener('change', () => {
    for (const place of code.querySelectorAll('[data-key]')) {
      place.dataset.variable ??= place.textContent
      const { quote, variable } = place.dataset
      place.textContent = putKey.checked ? quote + key + quote : variable
    }
  })
  copy.addEventListener('click', () => {
    const shown = [...code.children].find((block) => !block.hidden)
    copyFrom(copy, `${shown.textContent}\n`, document.querySelector('#said'))
  })

  show(readLanguage())
  sayDate()
}

/** The one place of the key on this page; its form was checked by the service. */
function keyFromAddress() {
  return new URL(location.href).searchParams.get('key') ?? ''
}

/** The date in the locale chosen in the dashboard, in the user's own time zone. */
function sayDate() {
  const time = document.querySelector('time')
  try {
    const locale = localStorage.getItem('locale') ?? 'en-GB'
    const form = { day: 'numeric', month: 'short', year: 'numeric' }
    time.textContent = new Date(time.dateTime).toLocaleDateString(locale, form)
  } catch {
    // Keep the date as the server wrote it.
  }
}
