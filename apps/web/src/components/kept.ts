/** Where the browser stores a value: for good, or until its tab is closed. */
type Storages = 'localStorage' | 'sessionStorage'

/** Reads the value stored under `key`; `undefined` if there is none, or storage is unavailable. */
export function readKept(key: string, storage: Storages = 'localStorage'): string | undefined {
  try {
    return globalThis[storage].getItem(key) ?? undefined
  } catch {
    return undefined
  }
}

/** Stores `text` under `key`, or removes it if `undefined`. Without storage, it lasts as long as the page. */
export function keep(key: string, text: string | undefined, storage: Storages = 'localStorage'): void {
  try {
    if (text === undefined) globalThis[storage].removeItem(key)
    else globalThis[storage].setItem(key, text)
  } catch {
    // Unavailable, or full.
  }
}
