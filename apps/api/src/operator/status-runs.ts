import type { NamesOf, Runs } from './run.ts'
import { withTimes } from './with-times.ts'

/** Verbs on the notices of the status banner, and on maintenance. */
export const statusRuns: Runs<NamesOf<'status' | 'maintenance'>> = {
  async *'status list'(_input, { accounts }) {
    for (const { startsAt: from, endsAt: until, ...notice } of await accounts.listNotices()) {
      yield withTimes({ ...notice, from, until })
    }
  },
  async 'status add'({ details, from, until }, { accounts, noticesChanged, by }) {
    await accounts.addStatus(details, { startsAt: momentOf(from), endsAt: momentOf(until), by })
    await noticesChanged()
  },
  async 'status clear'({ id }, { accounts, noticesChanged, by }) {
    await accounts.clearStatus(id, by)
    await noticesChanged()
  },
  async 'maintenance on'({ details, until }, { accounts, noticesChanged, by }) {
    await accounts.beginMaintenance(details, { endsAt: momentOf(until), by })
    await noticesChanged()
  },
  async 'maintenance off'(_input, { accounts, noticesChanged, by }) {
    await accounts.endMaintenance(by)
    await noticesChanged()
  },
}

function momentOf(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text)
}
