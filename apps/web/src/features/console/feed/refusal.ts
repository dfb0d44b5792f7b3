/** The server's details of a refusal, besides the words of its row. */
export type Refusal = Readonly<{
  /** The stream's `errorType`, or the name of a close reason; empty without either. */
  errorType: string
  /** Address of the page that explains it, from the server; empty without one. */
  docs: string
  /** The oldest cursor to resume from, if a cursor was refused; empty otherwise. */
  oldest: string
}>

/** The last error, shown under the editor until it is dismissed. */
export type StandingError = Refusal & Readonly<{ id: number; words: string; detail: string }>

/** Returns the page that explains a refusal, if a link may open it. */
export function docsPage({ docs }: Refusal): string | undefined {
  return /^https?:\/\//i.test(docs) ? docs : undefined
}

/** A page of the product that helps with a refusal. */
type HelpPage = Readonly<{ label: string; path: string }>

/** Returns the page that ends this kind of refusal; `undefined` if no page of the product helps. */
export function helpPage(errorType: string): HelpPage | undefined {
  return Object.hasOwn(HELP, errorType) ? HELP[errorType] : undefined
}

const PLANS: HelpPage = { label: 'Compare plans', path: '/dashboard/upgrade' }
const HELP: Readonly<Record<string, HelpPage>> = {
  noPlan: { label: 'Choose a plan', path: '/dashboard/upgrade' },
  keyUnknown: { label: 'See your key', path: '/dashboard/account' },
  connectionLimit: { label: 'See open connections', path: '/dashboard/account' },
  noSession: { label: 'Sign in', path: '/dashboard/login' },
  FILTER_REQUIRED: PLANS,
  FILTER_TOO_LARGE: PLANS,
  PLAN_USED_UP: PLANS,
}
