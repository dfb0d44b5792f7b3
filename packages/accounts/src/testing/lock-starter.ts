import { type DataFolderLock, lockDataFolder } from '../lock-data-folder.ts'

/** What a starter is told: lock the folder at that moment, or give back what it holds. */
export type StarterOrder = { folder: string; atMs: number } | { folder: null }

/** What it says: that it is there, or what came of an order. */
export type StarterWord = { outcome: 'here' | 'held' | 'released' } | { outcome: 'refused'; sentence: string }

let lock: DataFolderLock | undefined

process.on('message', (order: StarterOrder) => {
  if (order.folder === null) {
    lock?.release()
    lock = undefined
    return say({ outcome: 'released' })
  }
  // Spins, so that all starters are in the same instant at the same line.
  while (Date.now() < order.atMs);
  try {
    lock = lockDataFolder(order.folder)
    say({ outcome: 'held' })
  } catch (error) {
    say({ outcome: 'refused', sentence: error instanceof Error ? error.message : String(error) })
  }
})
say({ outcome: 'here' })

function say(word: StarterWord): void {
  process.send?.(word)
}
