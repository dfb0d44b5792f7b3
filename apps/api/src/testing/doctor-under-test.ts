import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import type { CheckName, CheckRow } from '@pairwire/contract/operator'
import { readSettings } from '@pairwire/process'
import { inject } from 'vitest'
import { DOOR_PARTS } from '../config.ts'
import { createDoctor } from '../operator/doctor/check.ts'
import type { DoctorParts } from '../operator/doctor/doctor-parts.ts'
import { doorChecks } from '../operator/doctor/door-checks.ts'

/** A folder of this test. */
export const aFolder = () => mkdtempSync(join(inject('runFolder'), 'doctor-'))

/** What is set on a production host, besides what a test is about. */
export const PUBLIC_HOST = {
  PUBLIC_URL: 'https://stream.example',
  SOLANA_SOURCE: 'rpc+https://rpc.example',
  SMTP_URL: 'smtp://127.0.0.1:1',
  MAIL_FROM: 'hello@stream.example',
  SESSION_SECRET: 's'.repeat(32),
  KEY_ENCRYPTION_SECRET: 'k'.repeat(32),
}

/** What a check of the HTTP side finds with these settings, in a data folder of its own unless they name one. */
export async function findWith(
  check: CheckName,
  environment: Record<string, string> = {},
  over: Partial<DoctorParts> = {},
): Promise<CheckRow> {
  const config = readSettings({ DATA_DIR: join(aFolder(), 'data'), ...environment }, DOOR_PARTS)
  const sessionSecret = () => new Uint8Array(32)
  const checks = doorChecks({
    ...{ config, accounts: async () => undefined, sessionSecret, docsRoot: '' },
    ...over,
  })
  for await (const row of createDoctor(checks, { whySkipped: 'Not here.', secrets: [] })([check])) return row
  throw new Error('There is no such check.')
}
