import { requestText } from './request-text.ts'

/**
 * Replaces the editor's text as if typed, so that one undo restores it, and selects a part of it.
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

/** Replaces the text of the page's editor as {@link replaceRequest} does, with the caret after it. */
export function editRequest(text: string): void {
  const area = document.querySelector<HTMLTextAreaElement>('[data-request]')
  if (area) replaceRequest(area, text, [text.length, text.length])
  else requestText.write(text)
}

/** Replaces the field's selection with `text`, so that one undo restores it. */
export function insert(area: HTMLTextAreaElement, text: string) {
  // Chromium inserts text line by line, a thousand in seconds, but what it takes for markup at once.
  const markup = text.length > LONG && text.replace(/[&<]/g, (mark) => `&#${mark.charCodeAt(0)};`)
  if (markup && document.execCommand('insertHTML', false, markup)) return
  // Deprecated, but still the only way to change a field's text with its own undo.
  if (document.execCommand('insertText', false, text)) return
  area.setRangeText(text, area.selectionStart, area.selectionEnd, 'end')
  area.dispatchEvent(new Event('input', { bubbles: true }))
}

/** Characters of a long text: a filter of about a hundred accounts. */
const LONG = 5_000
