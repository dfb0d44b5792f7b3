/** How loading the code of a page can fail. */
export type ChunkFailure = 'missing' | 'timeout' | 'other'

/** The code of a page did not load, or did not run. */
export class ChunkLoadError extends Error {
  readonly kind: ChunkFailure

  constructor(kind: ChunkFailure, cause: unknown) {
    super(`The page's code did not load (${kind}).`, { cause })
    this.name = 'ChunkLoadError'
    this.kind = kind
  }
}

/** Milliseconds before the code of a page counts as not loaded. */
const CHUNK_TIMEOUT_MS = 120_000

/** Loads the code of a page. @throws ChunkLoadError, also after two minutes */
export async function loadChunk<Module>(load: () => Promise<Module>): Promise<Module> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new ChunkLoadError('timeout', undefined)), CHUNK_TIMEOUT_MS)
  })
  try {
    return await Promise.race([load(), late])
  } catch (cause) {
    throw cause instanceof ChunkLoadError ? cause : new ChunkLoadError(kindOf(cause), cause)
  } finally {
    clearTimeout(timer)
  }
}

/** Browsers distinguish a missing module from one that threw only in the message: Chromium, Firefox, Safari, Vite. */
function kindOf(cause: unknown): ChunkFailure {
  const message = cause instanceof Error ? cause.message : ''
  return /dynamically imported module|Importing a module script failed|Unable to preload CSS/i.test(message)
    ? 'missing'
    : 'other'
}
