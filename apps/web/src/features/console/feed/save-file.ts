import { SERVICE } from '../../../components/page.tsx'
/** Saves `content` as a file of the user's. */
export function saveFile(content: Blob, name: string): void {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The download keeps the content itself once it has begun.
  setTimeout(() => URL.revokeObjectURL(url), RELEASE_MS)
}

/** Makes a file name with a time: `pairwire-2026-11-21-14-03-07.csv`. */
export function fileName(at: Date, ending: string): string {
  return `${SERVICE.toLowerCase().replace(/\W+/g, '-')}-${at.toISOString().slice(0, 19).replace(/[T:]/g, '-')}.${ending}`
}

const RELEASE_MS = 60_000
