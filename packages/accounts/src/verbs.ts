// Every verb of the accounts, once: `createAccounts` binds each to its store, and `Accounts` is their type.
export { listActs, noteAct } from './acts/acts.ts'
export { listAlarms, mailTestAlarm, turnAlarms } from './alarms/alarms.ts'
export { countBillingAlarms } from './alarms/billing-alarms.ts'
export { readAlarmFacts } from './alarms/read-alarm-facts.ts'
export { applyBillingEvent } from './billing/apply-billing-event.ts'
export { applyKnownPrices } from './billing/apply-known-prices.ts'
export { listCharges } from './billing/list-charges.ts'
export { noteMailFailed, noteMailSent } from './mails/note-mail.ts'
export { holdMails, takeDueMails } from './mails/take-due-mails.ts'
export { readMoney } from './money/read-money.ts'
export { mailOperatorLink } from './operators/operator-links.ts'
export { listMails, queueTestMail, retryMail } from './operators/operator-mails.ts'
export {
  confirmOperatorSession,
  endOperatorSession,
  findOperatorSession,
  listOperatorSessions,
  openOperatorSession,
} from './operators/operator-sessions.ts'
export { addToken, findToken, listTokens, removeToken } from './operators/operator-tokens.ts'
export {
  addOperator,
  createOperatorLink,
  findOperatorByEmail,
  listOperators,
  removeOperator,
  resetOperatorCode,
} from './operators/operators.ts'
export { applyOrderEvent } from './orders/apply-order-event.ts'
export { createOrder, grantOrder, noteOrderTransaction } from './orders/create-order.ts'
export { findOrder, findOrderByToken, findOrderOfKey } from './orders/find-order.ts'
export { listAllOrders, listOrders, readKnownOrder } from './orders/list-orders.ts'
export { listNeededHours, mayReplay } from './orders/may-replay.ts'
export { noteDownloaded } from './orders/note-downloaded.ts'
export { countFailedOrders, lapseOrders, listOpenOrders, settleOrder } from './orders/settle-orders.ts'
export { canReadKeys } from './people/can-read-keys.ts'
export { createAccount, register } from './people/create-account.ts'
export { deleteAccount } from './people/delete-account.ts'
export { listEmails } from './people/emails.ts'
export { findAccount, findWhoId } from './people/find-who.ts'
export { exchangeLoginToken, findLogin, requestLogin } from './people/login-tokens.ts'
export { getAccount } from './people/read-account.ts'
export { resetKey } from './people/reset-key.ts'
export { endSession, endSessions, findSession, listSessions } from './people/sessions.ts'
export { checkNotSuspended, suspend, unsuspend } from './people/suspend.ts'
export { useCaptcha } from './people/use-captcha.ts'
export { authorizeAccount, authorizeKey } from './plans/authorize-key.ts'
export { getUsage } from './plans/get-usage.ts'
export { giveTrial } from './plans/give-trial.ts'
export { grantPlan } from './plans/grant-plan.ts'
export { endDuePlans, nextPlanEnd } from './plans/plan-ends.ts'
export { queueTrialNotices } from './plans/queue-trial-notices.ts'
export { recordDelivered } from './plans/record-delivered.ts'
export { startTrial } from './plans/start-trial.ts'
export { listAccounts } from './room/list-accounts.ts'
export { addNote, listNotes } from './room/notes.ts'
export { readDatabase } from './room/read-database.ts'
export { readPerson } from './room/read-person.ts'
export { readWork } from './room/read-work.ts'
export { refreshSums } from './room/refresh-sums.ts'
export { freeLease, takeLease } from './seats/leases.ts'
export {
  listConnections,
  listRefusedUpgrades,
  recordConnections,
  recordRefusedUpgrades,
} from './seats/stream-connections.ts'
export {
  countSeatsBefore,
  forgetGateway,
  listGateways,
  listSeats,
  noteGateway,
  restoreSeats,
  takeSeat,
} from './seats/stream-seats.ts'
export { getPaidSubscription, listDueRenewals, listPayments } from './standing/paid-subscription.ts'
export { readStandings } from './standing/read-standings.ts'
export { addStatus, beginMaintenance, clearStatus, endMaintenance, listNotices } from './status-items.ts'
export { sweep } from './sweep.ts'
export {
  changeWebhook,
  deleteWebhook,
  pauseWebhook,
  resumeWebhook,
  rotateWebhook,
  seekWebhook,
} from './webhooks/change-webhook.ts'
export { createWebhook } from './webhooks/create-webhook.ts'
export {
  deleteDeadLetter,
  listDeadLetters,
  queueDeadLetter,
  readQueuedLetter,
} from './webhooks/dead-letters.ts'
export { getWebhook, listWebhooks, nextWebhookNumber } from './webhooks/list-webhooks.ts'
export { noteAnswer } from './webhooks/note-answer.ts'
export { noteMessage } from './webhooks/note-message.ts'
export { freeWebhooks, notePlaces, readWebhooks, takeWebhooks } from './webhooks/take-webhooks.ts'
