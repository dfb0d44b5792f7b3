import { afterAll, beforeEach, describe } from 'vitest'
import { describeActs } from './acts/acts.suite.ts'
import { describeAlarms } from './alarms/alarms.suite.ts'
import { describeBilling } from './billing/billing.suite.ts'
import { describeCharges } from './billing/list-charges.suite.ts'
import { describeUnsettledMoney } from './billing/unsettled-money.suite.ts'
import { describeFaults } from './database/faults.suite.ts'
import type { Database } from './database/open-database.ts'
import { describeMails } from './mails/mails.suite.ts'
import { describeMoney } from './money/money.suite.ts'
import { describeNotices } from './notices.suite.ts'
import { describeOperations } from './operations.suite.ts'
import { describeOperators } from './operators/operators.suite.ts'
import { describeOrderHours } from './orders/order-hours.suite.ts'
import { describeOrderPayments } from './orders/order-payments.suite.ts'
import { describeOrders } from './orders/orders.suite.ts'
import { describePeople } from './people/people.suite.ts'
import { describeSessions } from './people/sessions.suite.ts'
import { describePlans } from './plans/plans.suite.ts'
import { describeCounts } from './plans/record-delivered.suite.ts'
import { describeUsage } from './plans/usage.suite.ts'
import { describePeopleList } from './room/list-accounts.suite.ts'
import { describeLeases } from './seats/leases.suite.ts'
import { createAccountsUnderTest } from './testing/accounts-under-test.ts'
import { describeWebhooks } from './webhooks/webhooks.suite.ts'

/** What every database must guarantee for `Accounts`. `opened` gives an empty one and a function that takes it down again. */
export function describeAccounts(
  databaseName: string,
  opened: { database: Database; remove(): Promise<void> },
): void {
  describe(`accounts on ${databaseName}`, () => {
    const under = createAccountsUnderTest(opened.database)

    beforeEach(under.reset)
    afterAll(async () => {
      await opened.database.close(0) // at once: nobody needs its dump
      await opened.remove()
    })

    describeLeases(under)
    describeMails(under)
    describePeople(under)
    describePeopleList(under)
    describeActs(under)
    describeAlarms(under)
    describeSessions(under)
    describePlans(under)
    describeCounts(under)
    describeBilling(under)
    describeCharges(under)
    describeUnsettledMoney(under)
    describeMoney(under)
    describeOrders(under)
    describeOrderHours(under)
    describeOrderPayments(under)
    describeOperations(under)
    describeNotices(under)
    describeFaults(under)
    describeOperators(under)
    describeUsage(under)
    describeWebhooks(under)
  })
}
