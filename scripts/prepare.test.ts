import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { enter } from './prepare.mjs'

describe('preparing a clone', () => {
  let folder: string

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'pairwire-prepare-'))
  })

  afterEach(() => rmSync(folder, { recursive: true }))

  it('is done by one process after the other', async () => {
    const leave = await enter(folder)
    let isIn = false
    const next = enter(folder).then((leaveToo) => {
      isIn = true
      return leaveToo
    })
    await new Promise((resolve) => setImmediate(resolve))
    expect(isIn).toBe(false)

    leave()

    const leaveToo = await next
    leaveToo()
  })

  it('goes on where a process was killed that did it', async () => {
    const { pid } = spawnSync(process.execPath, ['--eval', ''])
    writeFileSync(join(folder, 'preparing'), String(pid))

    const leave = await enter(folder)

    leave()
  })
})
