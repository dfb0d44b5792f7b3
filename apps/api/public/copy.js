/** Copies text, if there is any, to the clipboard and lets the button say so for a moment. Words for a screen reader go to `said`. */
export async function copyFrom(button, text, said) {
  const label = button.querySelector('span') ?? button
  const before = button.dataset.label ?? label.textContent
  button.dataset.label = before
  const done = text !== undefined && (await write(text))
  label.textContent = done ? 'Copied' : 'Not copied'
  if (said) said.textContent = done ? 'Copied' : 'Not copied. Select the text and copy it yourself.'
  clearTimeout(Number(button.dataset.timer))
  button.dataset.timer = setTimeout(() => {
    label.textContent = before
    if (said) said.textContent = ''
  }, SHOWN_MS)
}

const SHOWN_MS = 1_200

async function write(text) {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return writeByHand(text)
  }
}

/** For pages that the browser does not trust, such as http on another host than this one. */
function writeByHand(text) {
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'unseen'
  document.body.append(area)
  const focused = document.activeElement
  area.select()
  const done = document.execCommand('copy')
  area.remove()
  focused?.focus()
  return done
}
