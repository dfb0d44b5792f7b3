import type { routes } from '@pairwire/contract'

/** One sentence for each call of the HTTP API. */
export const ROUTE_SUMMARIES: Readonly<Record<keyof typeof routes, string>> = {
  authenticate: 'Exchanges the token of a mailed link for a session.',
  login: 'Mails a login link.',
  register: 'Makes an account and mails a login link.',
  logout: 'Ends the session that makes the call.',
  logoutAll: 'Ends every session of the account.',
  captcha: 'Gives a captcha challenge, valid for five minutes.',
  config: 'Gives the settings that a browser needs.',
  systemStatus: 'Lists the notices in force, the most important first.',
  getAccount: 'Reads the account: key, plan and trial.',
  deleteAccount: 'Deletes the account and its key.',
  disconnect: 'Closes every open connection of the account.',
  resetKey: 'Makes a new key; the old one stops working at once.',
  usage: 'Counts events by kind and day, and hours with an open connection.',
  connections: 'Lists the open connections, and how the last ones ended.',
  closeConnection: 'Closes one open connection.',
  logos: 'Gives the paths under which logos of tokens can be shown.',
  tokens: 'Gives the names and pictures of up to 100 tokens, by their mints: `?mints=a,b`.',
  startTrial: 'Starts the free trial of a plan.',
  manageSubscription: 'Gives the page on which the paid plan is managed, where plans are sold.',
  checkout: 'Gives the page on which to pay for a plan, where the checkout is a page.',
}
