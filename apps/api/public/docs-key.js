/** Puts the signed-in user's key into the quick start, masked until Show. */

const TIMEOUT_MS = 10_000

export async function showOwnKey(place) {
  const key = await readKey()
  if (!key) return

  const button = document.querySelector('#show-key')
  const draw = (isShown) => {
    place.textContent = isShown ? key : '•'.repeat(key.length)
    button.setAttribute('aria-pressed', String(isShown))
    button.textContent = isShown ? 'Hide' : 'Show'
  }
  button.hidden = false
  button.addEventListener('click', () => draw(button.getAttribute('aria-pressed') === 'false'))
  place.closest('figure').textToCopy = () => `export PAIRWIRE_KEY=${key}`
  draw(false)
}

/** `undefined` for a signed-out visitor, and whenever the key cannot be read: then the page stays unchanged. */
async function readKey() {
  try {
    const answer = await fetch('/api/account', {
      headers: { authorization: `Bearer ${localStorage.getItem('token')}` },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const key = answer.ok ? (await answer.json()).user?.APIKey : undefined
    return /^[0-9a-f]{32}$/.test(key) ? key : undefined
  } catch {
    return undefined
  }
}
