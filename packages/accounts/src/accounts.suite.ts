import { afterAll, beforeEach, describe } from 'vitest'
import { describeBilling } from './billing/billing.suite.ts'
import { describeUnsettledMoney } from './billing/unsettled-money.suite.ts'
import type { Database } from './database/open-database.ts'
import { describeMails } from './mails/mails.suite.ts'
import { describeOperations } from './operations.suite.ts'
import { describeOrders } from './orders/orders.suite.ts'
import { describePeople } from './people/people.suite.ts'
import { describeSessions } from './people/sessions.suite.ts'
import { describePlans } from './plans/plans.suite.ts'
import { describeUsage } from './plans/usage.suite.ts'
import { describeLeases } from './seats/leases.suite.ts'
import { createAccountsUnderTest } from './testing/accounts-under-test.ts'

/**
 * What every database must guarantee for `Accounts`. `opened` gives an empty one and a function that takes it down
 * again; `deliveries` is how many the longest test makes.
 */
export function describeAccounts(
  databaseName: string,
  opened: { database: Database; remove(): Promise<void> },
  deliveries: number,
): void {
  describe(`accounts on ${databaseName}`, () => {
    const under = createAccountsUnderTest(opened.database)

    beforeEach(under.reset)
    afterAll(async () => {
      await opened.database.close()
      await opened.remove()
    })

    describeLeases(under)
    describeMails(under)
    describePeople(under)
    describeSessions(under)
    describePlans(under)
    describeBilling(under, deliveries)
    describeUnsettledMoney(under)
    describeOrders(under, deliveries)
    describeOperations(under)
    describeUsage(under)
  })
}
