import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Account } from '@pairwire/contract'
import { root } from './service.ts'

/** What one run of the operator's tool gave. */
type ToolResult = { status: number; stdout: string; stderr: string }

/** Runs the operator's tool on a data folder; resolves whatever its exit status. */
export async function pairwire(dataFolder: string, ...words: string[]): Promise<ToolResult> {
  const command = promisify(execFile)(process.execPath, [join(root, 'bin/pairwire.js'), ...words], {
    cwd: root,
    env: { ...process.env, DATA_DIR: dataFolder },
    timeout: 60_000,
    maxBuffer: 64 * 1024 * 1024,
  })
  return command.then(
    ({ stdout, stderr }) => ({ status: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ status: code, stdout, stderr }),
  )
}

/** An account made by the operator, with a plan granted unless it is left out. */
export async function makeAccount(
  { dataFolder }: { dataFolder: string },
  email: string,
  plan?: 'newpairs' | 'basic' | 'pro',
): Promise<Account> {
  const { stdout, stderr } = await pairwire(
    dataFolder,
    'account',
    'create',
    email,
    ...(plan ? ['--plan', plan] : []),
  )
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout) as Account
}
