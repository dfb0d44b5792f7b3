import { announce } from '../../components/announce.ts'

/** Puts `text` on the clipboard and says so, naming it `what`. @returns whether it is there. */
export async function copyText(text: string, what: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    announce(`${what} copied`, 'status')
    return true
  } catch {
    announce(`${what} was not copied. Select it and copy it by hand.`, 'status')
    return false
  }
}
