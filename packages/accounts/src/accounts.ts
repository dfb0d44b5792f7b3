import type { Account, Origin, PlanId } from '@pairwire/contract'
import type { BillingEvent, BillingOutcome, ProviderSubscription } from './billing-event.ts'
import type { LoginToken, QueuedMail } from './queue-mail.ts'

/**
 * The rules of users, keys, trials and plans, over one store. Every refusal on which a caller can act is an
 * `AppError` of the contract. Nothing here sends mail or control messages: mails are queued with what causes
 * them, in one transaction, and whoever takes them from the queue sends them.
 */
export type Accounts = Readonly<{
  /** Makes an account with a fresh key and queues its welcome mail, with a login token. @throws ERR_CONFLICT, BLOCKED_EMAIL_DOMAIN */
  register(person: { email: string; origin: Origin; enableMarketingEmails: boolean }): Promise<LoginToken>
  /** Whether a link was mailed in the last 15 minutes, used or not. @throws ERR_LOGIN_REQUIRED for an unknown email */
  findLogin(email: string): Promise<{ hasFreshLink: boolean }>
  /** Queues the mail with a login token for a known email. @throws ERR_LOGIN_REQUIRED for an unknown one */
  requestLogin(email: string): Promise<LoginToken>
  /** Uses a login token up and opens a session. @throws ERR_LOGIN_REQUIRED when unknown, used or older than 15 minutes */
  exchangeLoginToken(token: string): Promise<OpenedSession>
  /** Whose session it is; undefined once it has ended, by itself, by its owner's word or with its account. */
  findSession(sessionId: string): Promise<string | undefined>
  endSession(sessionId: string): Promise<void>
  /** @throws ERR_LOGIN_REQUIRED when the account is gone */
  endSessions(accountId: string): Promise<void>
  /** @throws ERR_LOGIN_REQUIRED when the account is gone */
  getAccount(accountId: string): Promise<Account>
  /** @throws ERR_LOGIN_REQUIRED when the account is gone */
  resetKey(accountId: string): Promise<Account>
  /** @throws TRIAL_USED, SUBSCRIPTION_EXISTS */
  startTrial(accountId: string, planId: PlanId): Promise<Account>
  /**
   * Keeps only the keyed hash of who had a trial. What gives the account nothing and is charged for all the same (a plan
   * whose money was given back, or for which no payment comes) is ended by `endAtProvider` first; left out, it refuses.
   *
   * @throws ACTIVE_SUBSCRIPTION, and what `endAtProvider` throws: nothing is deleted then
   */
  deleteAccount(
    accountId: string,
    endAtProvider?: (subscription: ProviderSubscription) => Promise<void>,
  ): Promise<void>

  /** Takes a payment provider's report: once each, in any order. */
  applyBillingEvent(event: BillingEvent): Promise<BillingOutcome>
  /**
   * Applies reports that were kept for a price which was no plan then and is one now.
   *
   * @returns the accounts that it concerns
   */
  applyKnownPrices(provider: string, planOf: (priceId: string) => PlanId | undefined): Promise<string[]>
  /** What an operator must look at, as it stands now. */
  countBillingAlarms(): Promise<BillingAlarms>
  /** The paid plan that the account has, in force or waiting for its payment; of several the one that counts. */
  getPaidSubscription(accountId: string): Promise<PaidSubscription | undefined>
  /** What the account was charged, newest first. */
  listPayments(accountId: string): Promise<Payment[]>
  /** Running plans of `provider` whose next payment is due, the longest due first, 100 at most. */
  listDueRenewals(provider: string): Promise<PaidSubscription[]>
  /** When the next trial or cancelled plan ends, which may be past; null when none will. */
  nextPlanEnd(): Promise<Date | null>
  /** Notes as ended what the clock has ended. @returns the accounts that it concerns */
  endDuePlans(): Promise<string[]>

  /** Queues the notice of trials that end within a day, one for each trial. */
  queueTrialNotices(): Promise<void>
  /** Calls `listener` when a mail was queued by this process. @returns a function that takes the listener away */
  onMailQueued(listener: () => void): () => void
  /**
   * Takes the mails that are due, `limit` at most and the longest due first, for {@link MAIL_LEASE_MS}: until then
   * no other process takes them. Those whose time is up are given up.
   */
  takeDueMails(limit: number): Promise<DueMails>
  /** Keeps mails that were taken for another {@link MAIL_LEASE_MS}. */
  holdMails(ids: readonly string[]): Promise<void>
  /** The mail server took it. */
  noteMailSent(id: string): Promise<void>
  /** It was not sent: `isFinal` when the server refuses it for good. @returns what becomes of it */
  noteMailFailed(id: string, isFinal: boolean): Promise<'queued' | 'given_up'>

  /** Looks a key up by its keyed hash; the only call a gateway makes at connect. */
  authorizeKey(key: string): Promise<KeyAuthorization>
  /** The same for an account whose connections are open, after a control message. */
  authorizeAccount(accountId: string): Promise<KeyAuthorization>
  /**
   * What key and plan these accounts have, by account; of those that are gone nothing. For a gateway to see by itself,
   * all of its accounts in one question, of which it has to read more.
   */
  readStandings(accountIds: readonly string[]): Promise<ReadonlyMap<string, AccountStanding>>
  /**
   * Adds to the counts of notifications sent, and frees the seats of connections that have left, in one statement: so who
   * takes one of these seats sees what was sent to the connection that had it.
   */
  recordDelivered(rows: readonly DeliveredCount[], leftSeats?: readonly string[]): Promise<void>
  /** Events sent to the account on each of the last 30 UTC days, oldest first; days without any are left out. */
  getUsage(accountId: string): Promise<UsageDay[]>
  /** Notes connections as opened, still open or ended; the latest note of each is kept for a day. */
  recordConnections(notes: readonly ConnectionNote[]): Promise<void>
  /** The account's connections of the last 24 hours, the last opened first, 1,000 at most. */
  listConnections(accountId: string): Promise<ConnectionNote[]>

  /** Operator's verbs; `email` must be known, else ERR_NOT_FOUND. */
  createAccount(email: string): Promise<{ accountId: string; account: Account }>
  findAccount(email: string): Promise<{ accountId: string; account: Account }>
  /** Grants a plan that only the operator can end; `planId` null takes the grant away. */
  grantPlan(
    email: string,
    planId: PlanId | null,
    connections?: number,
  ): Promise<{ accountId: string; account: Account }>

  /** Whether the API keys in the store can be read with the secrets: false when they were changed since. */
  canReadKeys(): Promise<boolean>

  /** Puts a notice into the status banner, or takes all of them away. */
  addStatus(details: string): Promise<void>
  clearStatus(): Promise<void>
  /** Notices of the last 90 days, those that were taken down too, newest first, 100 at most. */
  listNotices(): Promise<StatusNotice[]>

  /** Notes a captcha challenge as used until it expires; false when it was used before. */
  useCaptcha(signature: string, expiresAt: Date): Promise<boolean>

  /** Deletes what has expired (tokens, sessions, captchas); called now and then. */
  sweep(): Promise<void>

  /**
   * Takes `work` for this process, or keeps it, for `forMs` by the database's own clock; false while another process
   * has it. One that dies frees it after its time.
   */
  takeLease(work: LeasedWork, owner: string, forMs: number): Promise<boolean>
  /** Gives `work` back before its time, if it is this owner's. */
  freeLease(work: LeasedWork, owner: string): Promise<void>

  /**
   * Says that this gateway runs; to be said again well within `GATEWAY_LEASE_MS`, after which its seats are free.
   *
   * @returns whether there was a pause before, in which others may have counted without it
   */
  noteGateway(gateway: RunningGateway): Promise<{ wasAway: boolean }>
  /** The gateway ends, and with it its seats. */
  forgetGateway(gatewayId: string): Promise<void>
  /** Gateways that run, by name. */
  listGateways(): Promise<RunningGateway[]>
  /** Takes one of the account's `limit` seats for a connection, exact across gateways. */
  takeSeat(seat: SeatTaken, limit: number): Promise<SeatOutcome>
  /** Connections that have a seat on this gateway, of all accounts or of one. */
  listSeats(gatewayId: string, accountId?: string): Promise<readonly string[]>
  /**
   * After a pause: these connections of the gateway have seats, whatever was counted meanwhile.
   *
   * @returns how many seats each of their accounts has in all
   */
  restoreSeats(gatewayId: string, seats: readonly SeatTaken[]): Promise<ReadonlyMap<string, number>>
}>

/** What one process of a deployment does at a time. */
export type LeasedWork = 'trials' | 'renewals' | 'notices' | 'sweeps'

/** A gateway by the id that it takes at each start, and the machine that it runs on. */
export type RunningGateway = Readonly<{ id: string; name: string }>

/** A connection in a seat of its account; both by UUID, as the gateway. */
export type SeatTaken = Readonly<{ connectionId: string; accountId: string; gatewayId: string }>

/** Whether there was a seat; `away` when the gateway itself has not said in time that it runs. */
export type SeatOutcome =
  | Readonly<{ outcome: 'taken' | 'away' }>
  /** Every gateway with a seat of the account. */
  | Readonly<{ outcome: 'full'; gatewayIds: readonly string[] }>

/** A session that was just opened. */
export type OpenedSession = Readonly<{ accountId: string; sessionId: string; expiresAt: Date }>

/** What {@link Accounts.takeDueMails} finds. */
export type DueMails = Readonly<{
  mails: readonly QueuedMail[]
  /** How many were given up just now: their time was up, or they cannot be read. */
  givenUp: number
  /** When the next of the others is due; null when none waits. */
  nextTryAt: Date | null
}>

/** Milliseconds for which a mail that was taken belongs to who took it; so long after a crash it is tried again. */
export const MAIL_LEASE_MS = 30_000

/** A paid plan as its provider and its account know it. */
export type PaidSubscription = Readonly<{
  accountId: string
  /** Null, with its two names there, for a plan that no provider takes money for. */
  provider: string | null
  subscriptionId: string | null
  customerId: string | null
  planId: PlanId
  startedAt: Date
  /** The next payment; null once it is cancelled. */
  renewsAt: Date | null
  /** When it stops being in force, unless it is paid for. */
  endsAt: Date | null
  isCancelled: boolean
  isPastDue: boolean
}>

/** Money that is taken and gives nobody what it was paid for, in numbers of subscriptions. */
export type BillingAlarms = Readonly<{
  /** Their price is no plan here: their accounts keep what they had. */
  unknownPrices: number
  /** Charged for an account that is gone and not given back, or still reported as paid for. */
  goneAccounts: number
}>

/** Money taken for a time of a plan. */
export type Payment = Readonly<{
  provider: string
  subscriptionId: string
  transactionId: string
  paidAt: Date
  /** End of the time that it was for. */
  until: Date
  /** In the currency's smallest unit. */
  amount: bigint
  currency: string
}>

/** Notifications sent to an account on a day of a billing period. */
export type DeliveredCount = Readonly<{
  accountId: string
  /** The trial, paid plan or grant whose period it is, as `authorizeKey` names it. */
  planInForceId: string
  /** UTC date on which the billing period began, `YYYY-MM-DD`. */
  period: string
  /** UTC date on which they were sent. */
  day: string
  kind: 'newPair' | 'buy' | 'sell'
  count: number
}>

/** Events sent to an account on a UTC day, `YYYY-MM-DD`. */
export type UsageDay = Readonly<{ day: string; newPairs: number; buys: number; sells: number }>

/** What is known of a stream connection. */
export type ConnectionNote = Readonly<{
  /** A UUID of the gateway's. */
  id: string
  accountId: string
  address: string
  /** The client's own name for itself; empty when it gave none. */
  client: string
  openedAt: Date
  /** When it was open for the last time. */
  seenAt: Date
  /** Null while it is open. */
  closedAt: Date | null
  /** How it ended, in the gateway's word; null while it is open. */
  ended: string | null
  sentEvents: number
}>

/** A notice of the operator's, standing or taken down. */
export type StatusNotice = Readonly<{ details: string; createdAt: Date; clearedAt: Date | null }>

/** Names what an account has: another key and another plan have other names. Neither tells anything of the key. */
export type AccountStanding = Readonly<{ key: string; plan: string }>

/** What a key may do. */
export type KeyAuthorization =
  | Readonly<{
      outcome: 'allowed'
      accountId: string
      planId: PlanId
      connectionLimit: number
      /** When the plan stops being in force; null without an end. */
      endsAt: Date | null
      /** Names the trial, paid plan or grant that is in force: counts belong to it and its period. */
      planInForceId: string
      /** The billing period: its first day and the moment at which the next begins. */
      period: string
      periodEndsAt: Date
      /** Of the account as it was read. */
      standing: AccountStanding
      /** Sent so far in the period. */
      delivered: Readonly<{ newPair: number; swap: number }>
    }>
  | Readonly<{ outcome: 'unknown_key' }>
  | Readonly<{ outcome: 'no_plan'; accountId: string }>
