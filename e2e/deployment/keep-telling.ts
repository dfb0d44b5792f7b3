import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Accounts } from '@pairwire/accounts'

/** Creates accounts, resets keys and takes payments all the while; everything acknowledged must exist at the end. */
export function keepTelling(accounts: Accounts, problem: (sentence: string) => void) {
  const done: { accountId: string; key: string; transactionId: string }[] = []
  let stopped = false
  const tell = async () => {
    while (!stopped) {
      await wait(300)
      try {
        const email = `${randomUUID()}@example.org`
        const { accountId } = await accounts.createAccount(email)
        const { user } = await accounts.resetKey(accountId)
        const transactionId = randomUUID()
        const subscriptionId = randomUUID()
        await accounts.applyBillingEvent({
          ...{
            provider: 'paddle',
            id: randomUUID(),
            occurredAt: new Date(),
            subscriptionId,
            customerId: 'customer',
          },
          ...{ accountId, priceIds: [], raw: {} },
          report: {
            ...{ type: 'charged', transactionId, origin: 'web', currency: 'USD', payout: null },
            ...{ amount: 7_900n, net: 7_900n, tax: 0n, fee: null },
            from: new Date(),
            until: new Date(Date.now() + 30 * 24 * 60 * 60_000),
          },
        })
        done.push({ accountId, key: user.APIKey, transactionId })
      } catch {
        // Nobody was told that it had succeeded.
      }
    }
  }
  void tell()
  return {
    stop() {
      stopped = true
    },
    async compare() {
      if (done.length === 0) problem('Nothing could be told all the while.')
      for (const { accountId, key, transactionId } of done) {
        const account = await accounts.getAccount(accountId)
        if (account.user.APIKey !== key) problem('A key is not the one that was given.')
        const payments = await accounts.listPayments(accountId)
        if (!payments.some((payment) => payment.transactionId === transactionId))
          problem('A payment is gone.')
      }
    },
  }
}
