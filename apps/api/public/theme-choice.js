/** The choice of the colour theme in the top bar: System, Light or Dark, saved for every page of the product. */

const KEY = 'theme'
const holder = document.querySelector('.theme')
const button = holder?.querySelector('button')
const choices = holder?.querySelector('fieldset')

if (holder) {
  holder.hidden = false
  button.addEventListener('click', () => show(choices.hidden))
  holder.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || choices.hidden) return
    event.preventDefault()
    close()
  })
  holder.addEventListener('focusout', (event) => {
    if (!holder.contains(event.relatedTarget)) show(false)
  })
  choices.addEventListener('change', (event) => choose(event.target.value))
  // An arrow key also chooses, and clicks without a pointer: the choices stay open for the next one.
  choices.addEventListener('click', (event) => {
    if (event.detail === 0 || !event.target.matches('input')) return
    choose(event.target.value)
    close()
  })
}

function show(open) {
  choices.hidden = !open
  button.setAttribute('aria-expanded', String(open))
  const theme = document.documentElement.dataset.theme ?? 'system'
  for (const input of choices.querySelectorAll('input')) input.checked = input.value === theme
}

function close() {
  show(false)
  button.focus()
}

function choose(theme) {
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
  try {
    if (theme === 'system') localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, theme)
  } catch {
    // The choice lasts until the page is left.
  }
}
