/** Where the browser keeps it: for good, or until its tab is closed. */
type Storages = 'localStorage' | 'sessionStorage'

/** What is kept under `key`; `undefined` where nothing is, or the browser's storage is closed to us. */
export function readKept(key: string, storage: Storages = 'localStorage'): string | undefined {
  try {
    return globalThis[storage].getItem(key) ?? undefined
  } catch {
    return undefined
  }
}

/** Keeps `text` under `key`, `undefined` to forget it. Where the browser keeps nothing, it lasts as long as the page. */
export function keep(key: string, text: string | undefined, storage: Storages = 'localStorage'): void {
  try {
    if (text === undefined) globalThis[storage].removeItem(key)
    else globalThis[storage].setItem(key, text)
  } catch {
    // Closed to us, or full.
  }
}
