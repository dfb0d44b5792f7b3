export type { BillingAlarms } from './billing/billing-alarms.ts'
export type {
  BillingEvent,
  BillingOutcome,
  BillingReport,
  ProviderSubscription,
  SubscriptionKind,
} from './billing/billing-event.ts'
export type { PaidSubscription, Payment } from './billing/paid-subscription.ts'
export { type Accounts, type AccountsParts, createAccounts } from './create-accounts.ts'
export { type DataFolderLock, lockDataFolder } from './database/lock-data-folder.ts'
export { type Database, type DatabasePlace, openDatabase } from './database/open-database.ts'
export { deriveSecret } from './database/secrets.ts'
export { socketPath } from './database/socket-path.ts'
export type { Letter, LoginToken, NoticeLetter, OrderLetter, QueuedMail } from './mails/queue-mail.ts'
export { type DueMails, MAIL_LEASE_MS } from './mails/take-due-mails.ts'
export type { WantedHours } from './orders/create-order.ts'
export type { OrderOfKey } from './orders/find-order.ts'
export type { HistoryOrder, SampleOrder } from './orders/history-order.ts'
export type { KnownOrder, OwnedOrder } from './orders/list-orders.ts'
export type { NeededHours } from './orders/may-replay.ts'
export type { OrderEvent, OrderOutcome, OrderReport, ProviderTransaction } from './orders/order-event.ts'
export type { OrderState } from './orders/order-state.ts'
export { LOGIN_TOKEN_MS } from './people/insert-login-token.ts'
export { type OpenedSession, SESSION_MS } from './people/sessions.ts'
export type { KeyAuthorization } from './plans/authorize-key.ts'
export type { UsageDay } from './plans/get-usage.ts'
export type { AccountStanding } from './plans/read-standings.ts'
export type { DeliveredCount } from './plans/record-delivered.ts'
export type { LeasedWork } from './seats/leases.ts'
export type { ConnectionNote } from './seats/stream-connections.ts'
export type { RunningGateway, SeatOutcome, SeatTaken } from './seats/stream-seats.ts'
export type { StatusNotice } from './status-items.ts'
