import { announce } from './announce.ts'

/** Copies `text` to the clipboard and announces it as `what`. @returns whether it succeeded. */
export async function copyText(text: string, what: string): Promise<boolean> {
  const done = await writeClipboard(text)
  announce(done ? `${what} copied` : `${what} was not copied. Select it and copy it by hand.`, 'status')
  return done
}

/** Copies `text` to the clipboard. @returns whether it succeeded. */
export async function writeClipboard(text: string): Promise<boolean> {
  try {
    if (navigator.clipboard) {
      await navigator.clipboard.writeText(text)
      return true
    }
  } catch {
    return false
  }
  return copyFromPage(text)
}

/** The clipboard API needs a secure page; elsewhere the older command still works on a press. */
function copyFromPage(text: string): boolean {
  const focused = document.activeElement
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'unseen'
  // While a modal dialog is open, nothing outside it can be selected.
  const holder = document.querySelector('dialog:modal') ?? document.body
  holder.append(area)
  area.select()
  const done = document.execCommand('copy')
  area.remove()
  if (focused instanceof HTMLElement) focused.focus()
  return done
}
