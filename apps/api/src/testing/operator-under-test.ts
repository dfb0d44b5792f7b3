import type { InputOf, VerbName } from '@pairwire/contract/operator'
import { createDoctor } from '../operator/doctor/check.ts'
import { createMoneyNow } from '../operator/money-now.ts'
import type { Caller, OperatorParts, Page } from '../operator/run.ts'
import { answerCall, answerTool } from '../operator/run-verb.ts'
import { type ApiUnderTest, createApiUnderTest } from './api-under-test.ts'

/** An operator in the room. */
export const ROOM: Caller = { actor: 'op@pairwire.example', via: 'room', address: '192.0.2.1' }

/** The operator's verbs over the app under test. */
export type OperatorUnderTest = ApiUnderTest &
  Readonly<{
    operatorParts: OperatorParts
    /** A verb as the room calls it. */
    call(name: string, input?: unknown): Promise<Page<unknown>>
    /** The rows of a verb as the tool prints them. */
    tool<Name extends VerbName>(name: Name, input: InputOf<Name>): Promise<unknown[]>
  }>

/** The app under test and the operator's verbs on it; `over` replaces parts of these. */
export async function createOperatorUnderTest(over: Partial<OperatorParts> = {}): Promise<OperatorUnderTest> {
  const under = await createApiUnderTest()
  const log = (sentence: string) => void under.logged.push(sentence)
  const operatorParts: OperatorParts = {
    accounts: under.accounts,
    adminUrl: undefined,
    alarmUrl: undefined,
    production: false,
    publicUrl: 'http://localhost:23000',
    archive: undefined,
    billing: under.sandbox,
    bus: { sendControl: async (message) => void under.sent.push(message) },
    clock: () => under.clock.now,
    doctor: createDoctor({}, { whySkipped: 'Nothing is checked here.', secrets: [] }),
    elapsed: () => under.clock.now,
    hasPlaces: true,
    listConnections: async () => ({ rows: [], missing: [] }),
    listProcesses: async () => [],
    moneyNow: createMoneyNow({ accounts: under.accounts, clock: () => under.clock.now }),
    log: { info: log, warn: log, error: log },
    noticesChanged: under.refreshNotices,
    simulated: true,
    sourceKind: 'simulator',
    ...over,
  }
  return {
    ...under,
    operatorParts,
    call: (name, input = {}) => answerCall({ name, input }, ROOM, operatorParts),
    async tool(verb, input) {
      const rows: unknown[] = []
      const request = { verb, input, as: 'rows', actor: 'root' } as const
      for await (const said of answerTool(request, operatorParts)) if ('row' in said) rows.push(said.row)
      return rows
    },
  }
}
