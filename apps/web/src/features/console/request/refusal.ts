/** What was refused, as far as the server says it, beside the words of its row. */
export type Refusal = Readonly<{
  /** The stream's `errorType`, or the name of a close reason; empty when the server names neither. */
  errorType: string
  /** Address of the page that explains it, as the server gave it; empty without one. */
  docs: string
  /** The oldest cursor that can be resumed from, where that is what is wrong; empty otherwise. */
  oldest: string
}>

/** The last error, which stands under the editor until it is dismissed. */
export type StandingError = Refusal & Readonly<{ id: number; words: string; detail: string }>

/** The page that explains a refusal, if it is one that a link may open. */
export function docsPage({ docs }: Refusal): string | undefined {
  return /^https?:\/\//i.test(docs) ? docs : undefined
}

/** A page of the product that helps with a refusal. */
type HelpPage = Readonly<{ label: string; path: string }>

/** Where a person goes who wants to end this kind of refusal; `undefined` where no page of the product helps. */
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
