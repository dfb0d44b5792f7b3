// Every verb of the accounts, once: `createAccounts` binds each to its store, and `Accounts` is their type.
export { applyBillingEvent } from './billing/apply-billing-event.ts'
export { applyKnownPrices } from './billing/apply-known-prices.ts'
export { countBillingAlarms } from './billing/billing-alarms.ts'
export { getPaidSubscription, listDueRenewals, listPayments } from './billing/paid-subscription.ts'
export { noteMailFailed } from './mails/note-mail-failed.ts'
export { noteMailSent } from './mails/note-mail-sent.ts'
export { queueTrialNotices } from './mails/queue-trial-notices.ts'
export { holdMails, takeDueMails } from './mails/take-due-mails.ts'
export { canReadKeys } from './people/can-read-keys.ts'
export { createAccount } from './people/create-account.ts'
export { deleteAccount } from './people/delete-account.ts'
export { exchangeLoginToken } from './people/exchange-login-token.ts'
export { findAccount } from './people/find-account.ts'
export { findLogin } from './people/find-login.ts'
export { getAccount } from './people/get-account.ts'
export { register } from './people/register.ts'
export { requestLogin } from './people/request-login.ts'
export { resetKey } from './people/reset-key.ts'
export { endSession, endSessions, findSession } from './people/sessions.ts'
export { useCaptcha } from './people/use-captcha.ts'
export { authorizeAccount, authorizeKey } from './plans/authorize-key.ts'
export { getUsage } from './plans/get-usage.ts'
export { grantPlan } from './plans/grant-plan.ts'
export { endDuePlans, nextPlanEnd } from './plans/plan-ends.ts'
export { readStandings } from './plans/read-standings.ts'
export { recordDelivered } from './plans/record-delivered.ts'
export { startTrial } from './plans/start-trial.ts'
export { freeLease, takeLease } from './seats/leases.ts'
export { listConnections, recordConnections } from './seats/stream-connections.ts'
export {
  forgetGateway,
  listGateways,
  listSeats,
  noteGateway,
  restoreSeats,
  takeSeat,
} from './seats/stream-seats.ts'
export { addStatus, clearStatus, listNotices } from './status-items.ts'
export { sweep } from './sweep.ts'
