/** Searches the docs in the browser, with an index that the service built from the pages. */

const TIMEOUT_MS = 10_000
const SHOWN = 8

/** Makes `input` search: results follow the typing; Down and Up move through them, Escape returns. Rejects without the index. */
export async function attachSearch(input) {
  const found = document.querySelector('#docs-found')
  const answer = await fetch('/docs/search.json', { signal: AbortSignal.timeout(TIMEOUT_MS) })
  const entries = (await answer.json()).map((entry) => ({
    ...entry,
    inTitle: entry.title.toLowerCase(),
    inText: `${entry.title} ${entry.of} ${entry.text}`.toLowerCase(),
  }))

  const draw = () => drawResults(found, input.value, entries)
  input.addEventListener('input', draw)
  input.form.addEventListener('submit', () => found.querySelector('a')?.click())
  for (const part of [input, found]) {
    part.addEventListener('keydown', (event) => walk(event, input, found, draw))
  }
  draw()
}

function walk(event, input, found, draw) {
  if (event.key === 'Escape') {
    event.preventDefault()
    input.value = ''
    draw()
    input.focus()
    return
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (!step) return
  event.preventDefault()
  const stops = [input, ...found.querySelectorAll('a')]
  const at = Math.max(0, stops.indexOf(document.activeElement))
  stops[(at + step + stops.length) % stops.length].focus()
}

function drawResults(found, text, entries) {
  const words = text.trim().toLowerCase().split(/\s+/).filter(Boolean)
  found.hidden = words.length === 0
  if (words.length === 0) return found.replaceChildren()

  const results = entries
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .sort((left, right) => right.score - left.score)
    .slice(0, SHOWN)
  const count = document.createElement('p')
  count.setAttribute('role', 'status')
  count.textContent = results.length === 0 ? 'Nothing found.' : `${results.length} found`
  const list = document.createElement('ul')
  list.append(...results.map(({ entry }) => resultItem(entry, words)))
  found.replaceChildren(count, list)
}

/** 0 if a word is missing; a word counts more in the title, and most at its beginning. */
function scoreOf({ inTitle, inText }, words) {
  let score = 0
  for (const word of words) {
    if (!inText.includes(word)) return 0
    score += inTitle.startsWith(word) ? 12 : inTitle.includes(word) ? 8 : 1
  }
  return score
}

function resultItem({ title, of, url, text }, words) {
  const link = document.createElement('a')
  link.href = url
  const name = document.createElement('b')
  name.textContent = title
  const place = document.createElement('span')
  place.className = 'quiet'
  place.textContent = ` ${of}`
  const excerpt = document.createElement('span')
  excerpt.className = 'found-text'
  excerpt.textContent = around(text, words[0])
  link.append(name, place, excerpt)
  const item = document.createElement('li')
  item.append(link)
  return item
}

function around(text, word) {
  const at = text.toLowerCase().indexOf(word)
  const from = Math.max(0, at - 30)
  return `${from > 0 ? '…' : ''}${text.slice(from, from + 90)}${from + 90 < text.length ? '…' : ''}`
}
