import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Account } from '@pairwire/contract'
import { askService } from '../apps/api/src/control-socket.ts'
import type { OperatorRequest } from '../apps/api/src/operations.ts'
import { root } from './service.ts'
import { READY_MS } from './story-time.ts'

/** The result of one run of the operator's tool. */
type ToolResult = { status: number; stdout: string; stderr: string }

/** Runs the operator's tool, built by the test run, on a data folder; resolves whatever its exit status. */
export async function pairwire(dataFolder: string, ...words: string[]): Promise<ToolResult> {
  const command = promisify(execFile)(
    process.execPath,
    [join(root, 'apps/standalone/dist/pairwire.js'), ...words],
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

/** Sends a request of the operator's tool to a running service, without a process for the tool. */
export async function askAsOperator(
  { dataFolder }: { dataFolder: string },
  request: OperatorRequest,
): Promise<Account[]> {
  const accounts: Account[] = []
  // The verbs on accounts print nothing else.
  const isThere = await askService(dataFolder, request, (account) => accounts.push(account as Account))
  if (!isThere) throw new Error(`No service runs on ${dataFolder}.`)
  return accounts
}

/** An account created by the operator, with a plan granted unless it is omitted. */
export async function makeAccount(
  service: { dataFolder: string },
  email: string,
  plan?: 'newpairs' | 'basic' | 'pro',
): Promise<Account> {
  const made = await askAsOperator(service, { verb: 'account create', emails: [email], plan })
  return made[0]!
}
