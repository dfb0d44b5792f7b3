import { inject } from 'vitest'
import { chromePath } from '../browser.ts'
import { makeAccount, pairwire } from '../operator.ts'
import { freshEmail } from '../people.ts'
import { hasPython, runProgram } from '../programs.ts'
import { STORY_MS } from '../story-time.ts'
import { test } from './console-test.ts'

const dataFolder = inject('dataFolder')
const SWAP = /"method":"swapNotification"/

test.skipIf(!chromePath)(
  'Copy as Node, wscat, curl and, where it is installed, Python run against the local service without edits',
  { timeout: STORY_MS },
  async ({ expect, openConsole }) => {
    const email = freshEmail()
    const { user } = await makeAccount({ dataFolder }, email, 'pro')
    await pairwire(dataFolder, 'account', 'plan', email, 'pro', '--connections', '4')
    const { page, copied } = await openConsole({ origin: inject('serviceUrl') })
    await page.getByRole('button', { name: 'All swaps' }).click()
    await page.getByRole('button', { name: 'Copy as' }).click()
    const copyAs = async (form: string, mark: string) => {
      await page.getByRole('menuitem', { name: form, exact: true }).click()
      await expect.poll(copied).toContain(mark)
      return (await copied())!
    }

    const node = await copyAs('Node', 'import WebSocket')
    const python = await copyAs('Python', 'import asyncio')
    const wscat = await copyAs('wscat', 'wscat -c')
    const curl = await copyAs('curl', 'curl -s')
    await Promise.all([
      runProgram({ text: node, ending: 'mjs' }, user.APIKey, SWAP),
      ...(hasPython ? [runProgram({ text: python, ending: 'py' }, user.APIKey, SWAP)] : []),
      runProgram({ text: wscat, ending: 'sh' }, user.APIKey, SWAP),
      runProgram({ text: curl, ending: 'sh' }, user.APIKey, /^101$/),
    ])
  },
)
