import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { type DataFolderLock, lockDataFolder } from '../database/lock-data-folder.ts'

/** Orders to a starter: lock the folder, or release it. */
export type StarterOrder = { folder: string | null }

/** Its messages: that it runs, or the outcome of an order. */
export type StarterWord = { outcome: 'here' | 'held' | 'released' } | { outcome: 'refused'; sentence: string }

/** Longest delay of a file system call in milliseconds, so that those of two processes interleave. */
const HOLD_UP_MS = 3

holdUp('linkSync')
holdUp('readFileSync')
holdUp('renameSync')
holdUp('rmSync')
syncBuiltinESMExports()

let lock: DataFolderLock | undefined

process.on('message', async ({ folder }: StarterOrder) => {
  if (folder === null) {
    lock?.release()
    lock = undefined
    return say({ outcome: 'released' })
  }
  try {
    lock = await lockDataFolder(folder)
    say({ outcome: 'held' })
  } catch (error) {
    say({ outcome: 'refused', sentence: error instanceof Error ? error.message : String(error) })
  }
})
say({ outcome: 'here' })

function holdUp(name: 'linkSync' | 'readFileSync' | 'renameSync' | 'rmSync'): void {
  const original = fs[name] as (...args: unknown[]) => unknown
  const slow = (...args: unknown[]) => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.random() * HOLD_UP_MS)
    return original(...args)
  }
  Object.assign(fs, { [name]: slow })
}

function say(word: StarterWord): void {
  process.send?.(word)
}
