import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { bundleScript } from '@pairwire/basics/testing/bundle-script'
import { expect, it } from 'vitest'

it.skipIf(process.platform !== 'linux')(
  'a process goes on when the disk that its lines are written to is full',
  async () => {
    const full = openSync('/dev/full', 'w')
    const script = await bundleScript(new URL('./testing/logging-child.ts', import.meta.url))
    const child = spawn(process.execPath, [script], { stdio: ['ignore', full, full, 'ipc'] })

    expect((await once(child, 'message'))[0]).toBe('It goes on.')
    child.kill('SIGKILL')
    closeSync(full)
  },
)
