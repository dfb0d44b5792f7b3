/** What a mail is about, which names its template. */
export const MAIL_TEMPLATES = [
  'welcome',
  'login',
  'trial_ending',
  'payment_failed',
  'cancelled',
  'ended',
  'history_ready',
  'history_failed',
  'webhook_failing',
  'webhook_stopped',
  'operator_link',
  'operator_closed',
  'operator_signed_in',
  'operator_alarm',
] as const
