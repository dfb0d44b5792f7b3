/** Sandbox pages: busy buttons, the dialog, and the return after a payment. Without it only the dialog fails. */

/** Milliseconds for which the check of a payment is shown. */
const PAID_SEEN_MS = 800

for (const form of document.querySelectorAll('form')) {
  form.addEventListener('submit', ({ submitter }) => {
    // After the form was read: a disabled button is not sent.
    setTimeout(() => setBusy(form, submitter))
  })
}

// Back from the next page: browsers show the page as it was left.
window.addEventListener('pageshow', ({ persisted }) => {
  if (!persisted) return
  for (const form of document.querySelectorAll('form')) setBusy(form, undefined)
})

for (const opener of document.querySelectorAll('[data-opens]')) {
  const dialog = document.getElementById(opener.dataset.opens)
  opener.addEventListener('click', () => dialog.showModal())
  dialog.querySelector('[data-closes]').addEventListener('click', () => dialog.close())
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close()
  })
}

const paid = document.querySelector('[data-continue]')
if (paid) setTimeout(() => window.location.replace(paid.dataset.continue), PAID_SEEN_MS)

function setBusy(form, pressed) {
  form.ariaBusy = pressed ? 'true' : 'false'
  for (const button of form.querySelectorAll('button')) {
    button.classList.toggle('busy', button === pressed)
    button.disabled = pressed !== undefined
  }
}
