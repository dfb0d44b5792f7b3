export type { Actor } from './acts/acts.ts'
export type { AlarmReading, AlarmTelling } from './alarms/alarms.ts'
export type { BillingAlarms } from './alarms/billing-alarms.ts'
export type { AlarmFacts } from './alarms/read-alarm-facts.ts'
export { type Alarm, isStanding, QUIET, turnAlarm } from './alarms/turn-alarm.ts'
export { type BackupParts, backUp, backUpToFile } from './backup/backup.ts'
export { backUpInto, lastBackupAt } from './backup/backup-folder.ts'
export { checkBackup, type FindSecrets, restore } from './backup/restore.ts'
export type {
  BillingEvent,
  BillingOutcome,
  BillingReport,
  ProviderSubscription,
} from './billing/billing-event.ts'
export {
  type Accounts,
  type AccountsParts,
  createAccounts,
  openAccountsAside,
} from './create-accounts.ts'
export type { Money, Sums } from './database/money.ts'
export { type Database, type DatabasePlace, openDatabase } from './database/open-database.ts'
export type { NotedMessage } from './database/webhook-tables.ts'
export type {
  AlarmLetter,
  Letter,
  LoginToken,
  NoticeLetter,
  OperatorLetter,
  OrderLetter,
  QueuedMail,
  WebhookLetter,
} from './mails/queue-mail.ts'
export { type DueMails, MAIL_LEASE_MS } from './mails/take-due-mails.ts'
export type { MoneyMonth, MoneySums } from './money/read-money.ts'
export type { CodeOutcome } from './operators/operator-codes.ts'
export { operatorLinkOf } from './operators/operator-links.ts'
export type { OperatorSession } from './operators/operator-sessions.ts'
export type { OperatorToken } from './operators/operator-tokens.ts'
export type { WantedHours } from './orders/create-order.ts'
export type { OrderOfKey } from './orders/find-order.ts'
export type { HistoryOrder, SampleOrder } from './orders/history-order.ts'
export type { KnownOrder, OwnedOrder } from './orders/list-orders.ts'
export type { NeededHours } from './orders/may-replay.ts'
export type { OrderEvent, OrderOutcome, OrderReport, ProviderTransaction } from './orders/order-event.ts'
export type { OrderState } from './orders/order-state.ts'
export { LOGIN_TOKEN_MS } from './people/login-tokens.ts'
export { type OpenedSession, SESSION_MS } from './people/sessions.ts'
export type { KeyAuthorization } from './plans/authorize-key.ts'
export type { UsageDay } from './plans/get-usage.ts'
export type { DeliveredCount, SwapsSoFar } from './plans/record-delivered.ts'
export { SUM_PARTS } from './room/refresh-sums.ts'
export type { LeasedWork } from './seats/leases.ts'
export type { ConnectionNote, RefusedUpgrades } from './seats/stream-connections.ts'
export type { RunningGateway, SeatOutcome, SeatTaken } from './seats/stream-seats.ts'
export { deriveSecret } from './secrets.ts'
export type { PaidSubscription, Payment } from './standing/paid-subscription.ts'
export type { AccountStanding } from './standing/read-standings.ts'
export type { SubscriptionKind } from './standing/subscription-state.ts'
export type { StatusNotice } from './status-items.ts'
export type { Act } from './store.ts'
export type { AnswerToNote, WebhookOutcome } from './webhooks/note-answer.ts'
export { type OwnWebhook, WEBHOOK_LEASE_MS } from './webhooks/take-webhooks.ts'
