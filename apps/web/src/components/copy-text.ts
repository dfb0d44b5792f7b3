import { announce } from './announce.ts'

/** Puts `text` on the clipboard and says so, naming it `what`. @returns whether it is there. */
export async function copyText(text: string, what: string): Promise<boolean> {
  const done = await writeClipboard(text)
  announce(done ? `${what} copied` : `${what} was not copied. Select it and copy it by hand.`, 'status')
  return done
}

/** Puts `text` on the clipboard. @returns whether it is there. */
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

/** The clipboard belongs to secure pages; elsewhere the older command still works from a press. */
function copyFromPage(text: string): boolean {
  const focused = document.activeElement
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'unseen'
  // While a modal dialog stands, nothing outside it can be selected.
  const holder = document.querySelector('dialog:modal') ?? document.body
  holder.append(area)
  area.select()
  const done = document.execCommand('copy')
  area.remove()
  if (focused instanceof HTMLElement) focused.focus()
  return done
}
