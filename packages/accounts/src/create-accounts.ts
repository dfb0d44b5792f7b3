import type { Accounts } from './accounts.ts'
import { applyBillingEvent } from './apply-billing-event.ts'
import { applyKnownPrices } from './apply-known-prices.ts'
import { authorizeAccount, authorizeKey } from './authorize-key.ts'
import { countBillingAlarms } from './billing-alarms.ts'
import { createBlockedEmailDomains } from './blocked-email-domains.ts'
import { canReadKeys } from './can-read-keys.ts'
import { createAccount } from './create-account.ts'
import { withoutParameters } from './database-error.ts'
import { deleteAccount } from './delete-account.ts'
import { exchangeLoginToken } from './exchange-login-token.ts'
import { findAccount } from './find-account.ts'
import { findLogin } from './find-login.ts'
import { getAccount } from './get-account.ts'
import { getUsage } from './get-usage.ts'
import { grantPlan } from './grant-plan.ts'
import { freeLease, takeLease } from './leases.ts'
import { noteMailFailed } from './note-mail-failed.ts'
import { noteMailSent } from './note-mail-sent.ts'
import type { Database } from './open-database.ts'
import { getPaidSubscription, listDueRenewals, listPayments } from './paid-subscription.ts'
import { endDuePlans, nextPlanEnd } from './plan-ends.ts'
import { queueTrialNotices } from './queue-trial-notices.ts'
import { readStandings } from './read-standings.ts'
import { recordDelivered } from './record-delivered.ts'
import { register } from './register.ts'
import { requestLogin } from './request-login.ts'
import { resetKey } from './reset-key.ts'
import { createSecrets } from './secrets.ts'
import { endSession, endSessions, findSession } from './sessions.ts'
import { startTrial } from './start-trial.ts'
import { addStatus, clearStatus, listNotices } from './status-items.ts'
import type { Store } from './store.ts'
import { listConnections, recordConnections } from './stream-connections.ts'
import {
  forgetGateway,
  listGateways,
  listSeats,
  noteGateway,
  restoreSeats,
  takeSeat,
} from './stream-seats.ts'
import { sweep } from './sweep.ts'
import { holdMails, takeDueMails } from './take-due-mails.ts'
import { useCaptcha } from './use-captcha.ts'

/** What {@link createAccounts} needs. */
export type AccountsParts = Readonly<{
  db: Database['db']
  /** Fulfilled once all that was committed is on the disk; see `Database.barrier`. */
  barrier: Database['barrier']
  /** Unix milliseconds. */
  clock: () => number
  /** 32 random bytes each, kept by the caller for as long as the data. */
  secrets: Readonly<{ keyEncryption: Uint8Array; pepper: Uint8Array }>
  /** Domains to refuse beside the built-in ones. */
  blockedEmailDomains?: readonly string[]
}>

/**
 * The rules of users, keys, trials and plans over an open database.
 *
 * Its functions throw an `AppError` for what the caller can act on (`ERR_UNAVAILABLE` when the database is
 * away) and a `DatabaseError` without any parameter for what is a bug.
 *
 * @throws RangeError when a secret is not 32 bytes
 */
export function createAccounts({
  db,
  barrier,
  clock,
  secrets,
  blockedEmailDomains,
}: AccountsParts): Accounts {
  const mailListeners = new Set<() => void>()
  const store: Store = {
    db,
    barrier,
    now: () => new Date(clock()),
    secrets: createSecrets(secrets),
    isBlockedEmail: createBlockedEmailDomains(blockedEmailDomains),
    announceMail: () => {
      for (const listener of mailListeners) listener()
    },
  }

  /** The verb over this store, with errors that are safe to log. */
  function bind<Args extends unknown[], Answer>(
    verb: (store: Store, ...args: Args) => Promise<Answer>,
  ): (...args: Args) => Promise<Answer> {
    return async (...args) => {
      try {
        return await verb(store, ...args)
      } catch (error) {
        throw withoutParameters(verb.name, error)
      }
    }
  }

  return {
    register: bind(register),
    findLogin: bind(findLogin),
    requestLogin: bind(requestLogin),
    exchangeLoginToken: bind(exchangeLoginToken),
    findSession: bind(findSession),
    endSession: bind(endSession),
    endSessions: bind(endSessions),
    getAccount: bind(getAccount),
    resetKey: bind(resetKey),
    startTrial: bind(startTrial),
    deleteAccount: bind(deleteAccount),
    applyBillingEvent: bind(applyBillingEvent),
    applyKnownPrices: bind(applyKnownPrices),
    countBillingAlarms: bind(countBillingAlarms),
    getPaidSubscription: bind(getPaidSubscription),
    listPayments: bind(listPayments),
    listDueRenewals: bind(listDueRenewals),
    nextPlanEnd: bind(nextPlanEnd),
    endDuePlans: bind(endDuePlans),
    queueTrialNotices: bind(queueTrialNotices),
    onMailQueued: (listener) => {
      mailListeners.add(listener)
      return () => void mailListeners.delete(listener)
    },
    takeDueMails: bind(takeDueMails),
    holdMails: bind(holdMails),
    noteMailSent: bind(noteMailSent),
    noteMailFailed: bind(noteMailFailed),
    authorizeKey: bind(authorizeKey),
    authorizeAccount: bind(authorizeAccount),
    readStandings: bind(readStandings),
    recordDelivered: bind(recordDelivered),
    getUsage: bind(getUsage),
    recordConnections: bind(recordConnections),
    listConnections: bind(listConnections),
    createAccount: bind(createAccount),
    findAccount: bind(findAccount),
    grantPlan: bind(grantPlan),
    canReadKeys: bind(canReadKeys),
    addStatus: bind(addStatus),
    clearStatus: bind(clearStatus),
    listNotices: bind(listNotices),
    useCaptcha: bind(useCaptcha),
    sweep: bind(sweep),
    takeLease: bind(takeLease),
    freeLease: bind(freeLease),
    noteGateway: bind(noteGateway),
    forgetGateway: bind(forgetGateway),
    listGateways: bind(listGateways),
    takeSeat: bind(takeSeat),
    listSeats: bind(listSeats),
    restoreSeats: bind(restoreSeats),
  }
}
