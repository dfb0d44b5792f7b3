import { answerTool, createDoctor, createMoneyNow, openBilling } from '@pairwire/api'
import type { Print } from '@pairwire/api/ask-service'
import { openArchive } from '@pairwire/archive'
import { systemClock } from '@pairwire/basics'
import type { ControlRequest } from '@pairwire/contract/operator'
import { openAccounts } from '@pairwire/process'
import type { Config } from '../config.ts'

/**
 * Runs a verb in this process, on the database of a service that does not run.
 *
 * @throws Error with a sentence on a refusal
 */
export async function runHere(request: ControlRequest, config: Config, print: Print): Promise<void> {
  const log = { info: () => {}, warn: console.error, error: console.error }
  const { accounts, secrets, close } = await openAccounts(config, log, { isBrief: true })
  try {
    const parts = {
      ...config,
      accounts,
      archive: await openArchive(config.archivePlace, { clock: systemClock, log }),
      billing: openBilling(config, secrets.session, log).billing,
      clock: Date.now,
      elapsed: () => performance.now(),
      log,
      // No service, so no gateway and no page that needs to be told.
      bus: { sendControl: async () => {} },
      noticesChanged: async () => {},
      moneyNow: createMoneyNow({ accounts, clock: Date.now }),
      listConnections: async () => ({ rows: [], missing: [] }),
      listProcesses: async () => [],
      doctor: createDoctor({}, { whySkipped: 'No service runs here: ask doctor.', secrets: [] }),
    }
    for await (const said of answerTool(request, parts)) await print(said)
  } finally {
    await close()
  }
}
