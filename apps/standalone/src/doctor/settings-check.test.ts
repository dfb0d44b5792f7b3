import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { aFolder } from '@pairwire/basics/testing/a-folder'
import { expect, it } from 'vitest'
import { readAnyConfig } from '../config.ts'
import { settingsCheck } from './settings-check.ts'

/** What the check finds with this environment and this text of `.env`. */
async function find(environment: Record<string, string>, text?: string) {
  const folder = aFolder()
  if (text !== undefined) writeFileSync(join(folder, '.env'), text)
  const { faults } = readAnyConfig(environment)
  return settingsCheck(faults, join(folder, '.env')).settings!(AbortSignal.timeout(1_000))
}

it('names every fault of the environment at once', async () => {
  expect(await find({})).toEqual({ state: 'ok', sentence: 'Every setting is right.', fix: null })
  expect(await find({ PORT: 'x', RETENTION: 'y' })).toMatchObject({
    state: 'fail',
    sentence: expect.stringMatching(/PORT: .*RETENTION: /),
    fix: expect.stringContaining('.env.example says'),
  })
})

it('names what is no setting in .env, and leaves what others read there alone', async () => {
  expect(await find({}, 'PORT=1\nCOMPOSE_PROJECT_NAME=x\nPUBLIC_HOST=y\n')).toMatchObject({ state: 'ok' })
  expect(await find({}, 'SMPT_URL=smtp://mail.example\nSMTP_HOST=mail.example\n')).toMatchObject({
    state: 'warn',
    sentence: '.env sets what is no setting: SMPT_URL, SMTP_HOST.',
    fix: expect.stringMatching(/^Correct the spelling/),
  })
})
