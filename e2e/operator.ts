import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Account } from '@pairwire/contract'
import { askService } from '../apps/api/src/operator/ask-service.ts'
import { QUICK_NODE } from '../packages/basics/src/testing/quick-node.ts'
import type { InputOf, VerbName } from '../packages/contract/src/operator/index.ts'
import { root } from './service.ts'
import { READY_MS } from './story-time.ts'

/** The result of one run of the operator's tool. */
type ToolResult = { status: number; stdout: string; stderr: string }

/** Runs the operator's tool, built by the test run, on a data folder; resolves whatever its exit status. */
export async function pairwire(dataFolder: string, ...words: string[]): Promise<ToolResult> {
  const command = promisify(execFile)(
    process.execPath,
    [...QUICK_NODE, join(root, 'apps/standalone/dist/pairwire.js'), ...words],
    {
      cwd: root,
      env: { ...process.env, DATA_DIR: dataFolder },
      timeout: READY_MS,
      maxBuffer: 64 * 1024 * 1024,
    },
  )
  return command.then(
    ({ stdout, stderr }) => ({ status: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ status: code, stdout, stderr }),
  )
}

/** Has a running service run a verb, without a process for the tool. @returns its rows */
export async function askAsOperator<Name extends VerbName>(
  { dataFolder }: { dataFolder: string },
  verb: Name,
  input: InputOf<Name>,
): Promise<Account[]> {
  const accounts: Account[] = []
  // The tests read accounts, and of orders only what accounts have no name for.
  const isThere = await askService(dataFolder, { verb, input, as: 'rows', actor: 'e2e' }, (said) => {
    if ('row' in said) accounts.push(said.row as Account)
  })
  if (!isThere) throw new Error(`No service runs on ${dataFolder}.`)
  return accounts
}

/** An account created by the operator, with a plan granted unless it is omitted. */
export async function makeAccount(
  service: { dataFolder: string },
  email: string,
  plan?: 'newpairs' | 'basic' | 'pro',
): Promise<Account> {
  const made = await askAsOperator(service, 'account create', { emails: [email], plan })
  return made[0]!
}
