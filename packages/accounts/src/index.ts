export type {
  AccountStanding,
  Accounts,
  BillingAlarms,
  ConnectionNote,
  DeliveredCount,
  DueMails,
  KeyAuthorization,
  LeasedWork,
  OpenedSession,
  PaidSubscription,
  Payment,
  RunningGateway,
  SeatOutcome,
  SeatTaken,
  StatusNotice,
  UsageDay,
} from './accounts.ts'
export { MAIL_LEASE_MS } from './accounts.ts'
export type {
  BillingEvent,
  BillingOutcome,
  BillingReport,
  ProviderSubscription,
  SubscriptionKind,
} from './billing-event.ts'
export { type AccountsParts, createAccounts } from './create-accounts.ts'
export { type DataFolderLock, lockDataFolder } from './lock-data-folder.ts'
export {
  type Database,
  type DatabasePlace,
  openDatabase,
} from './open-database.ts'
export type { DatabaseLog } from './open-pglite.ts'
export type { Letter, LoginToken, NoticeLetter, QueuedMail } from './queue-mail.ts'
export { deriveSecret } from './secrets.ts'
export { socketPath } from './socket-path.ts'
