import { requestText } from './request-text.ts'

/**
 * Puts `text` into the editor as if it were typed, so that one undo takes it back, and selects a part of it.
 */
export function replaceRequest(
  area: HTMLTextAreaElement,
  text: string,
  selection: readonly [number, number],
): void {
  area.focus()
  area.select()
  insert(area, text)
  area.setSelectionRange(selection[0], selection[1])
}

/** Puts `text` into the editor of the page as {@link replaceRequest} does, the caret behind it. */
export function editRequest(text: string): void {
  const area = document.querySelector<HTMLTextAreaElement>('[data-request]')
  if (area) replaceRequest(area, text, [text.length, text.length])
  else requestText.write(text)
}

/** Puts `text` in place of the field's selection, so that one undo takes it back. */
export function insert(area: HTMLTextAreaElement, text: string) {
  // Deprecated, and still the only way to change a field's text that its own undo knows of.
  if (document.execCommand('insertText', false, text)) return
  area.setRangeText(text, area.selectionStart, area.selectionEnd, 'end')
  area.dispatchEvent(new Event('input', { bubbles: true }))
}
