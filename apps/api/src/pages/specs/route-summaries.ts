import { routes, TRIAL, webhookRoutes } from '@pairwire/contract'

const ALL = { ...routes, ...webhookRoutes }

/** One sentence for each call of the HTTP API. */
const SUMMARIES: Readonly<Record<keyof typeof ALL, string>> = {
  authenticate: 'Exchanges the token of an emailed link for a session.',
  login: 'Emails a login link.',
  register: 'Creates an account and emails a login link.',
  logout: 'Ends this session.',
  logoutAll: 'Ends every session of the account.',
  captcha: 'Returns a captcha challenge, valid for five minutes.',
  config: 'Returns the settings that a browser needs.',
  systemStatus: 'Lists the current notices, the most important first.',
  getAccount: 'Reads the account: key, plan and trial.',
  deleteAccount: 'Deletes the account and its key.',
  disconnect: 'Closes every open connection of the account.',
  resetKey: 'Creates a new key; the old one stops working at once.',
  usage: 'Counts events by kind and day and how they were sent, and hours with an open connection.',
  connections: 'Lists open connections, and how recent ones ended.',
  closeConnection: 'Closes one open connection.',
  logos: 'Returns the paths of token logos.',
  tokens: 'Returns the names and pictures of up to 100 tokens, by their mints, as in ?mints=a,b.',
  history:
    'Lists the hours of the archive and what can be ordered, up to a whole hour as in ?to=2026-11-23T13:00:00Z.',
  createOrder: 'Orders hours of history, and says where to pay.',
  listOrders: 'Lists the orders of history, newest first.',
  getOrder: 'Reads one order with its files; number 1 is the sample.',
  tryFilter: 'Says what a filter would have matched over the last hours.',
  keyPlan: 'Says what the plan of a key allows: the key in X-API-KEY, or as in ?key=.',
  startTrial: 'Starts the free trial of a plan.',
  manageSubscription: 'Returns the page where a paid plan is managed, if this host sells plans.',
  checkout: 'Returns the page where a plan is paid for, if the checkout is a page.',
  listWebhooks: 'Lists the endpoints of webhooks, and how many the plan allows.',
  createWebhook: 'Creates an endpoint, and shows its secret.',
  getWebhook: 'Reads one endpoint.',
  changeWebhook: 'Changes its address, its filter or the size of its messages.',
  deleteWebhook: 'Deletes an endpoint with its dead letters.',
  testWebhook: 'Sends one sample at once, and says what the receiver answered.',
  rotateWebhook: 'Makes a new secret, and shows it; for a day the old one signs too.',
  seekWebhook: 'Goes on after a cursor, with the oldest event that is kept, or now.',
  pauseWebhook: 'Stops sending, and keeps the place.',
  resumeWebhook: 'Goes on from the place.',
  listDeadLetters: 'Lists the messages that were refused for good, newest first.',
  sendDeadLetter: 'Sends the events of one as a new message.',
  deleteDeadLetter: 'Deletes one.',
}

/** The calls that the reference lists, with their names and summaries: without a free trial, none starts one. */
export function listedRoutes() {
  const names = Object.keys(ALL) as (keyof typeof ALL)[]
  const listed = names.filter((name) => name !== 'startTrial' || TRIAL.days > 0)
  return listed.map((name) => ({
    ...{ session: true, status: 200, ...ALL[name] },
    ...{ name, summary: SUMMARIES[name], byKey: ALL[name].path.startsWith('/v1/') },
  }))
}
