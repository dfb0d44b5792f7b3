import { readObject } from '@pairwire/basics/json'
import type { Webhook, WebhookBody } from '@pairwire/contract'
import { WEBHOOK_LIMITS } from '@pairwire/contract/webhook-calls'
import { keep, readKept } from '../../components/kept.ts'
import { createStore } from '../../components/store.ts'
import { formatNumber } from '../../locale/locale.ts'

/** What was typed into an endpoint's form. */
export type Draft = Readonly<{
  url: string
  /** The subscription request, as in the console. */
  text: string
  maxEvents: string
  maxWaitMs: string
}>

const KEY = 'webhooks.drafts'

/** The open forms by their endpoint, a new one's by its account: they outlive the page and the session, until somebody signs out. */
export const drafts = createStore<Readonly<Record<string, Draft | undefined>>>(
  JSON.parse(readKept(KEY, 'sessionStorage') ?? '{}'), // the text is ours
)
drafts.subscribe(() => keep(KEY, JSON.stringify(drafts.read()), 'sessionStorage'))

/** Opens a form, or keeps what was typed into it; `undefined` closes it. */
export function writeDraft(id: string, draft: Draft | undefined): void {
  drafts.write({ ...drafts.read(), [id]: draft })
}

/** The form of a new endpoint for this request. */
export function newDraft(text: string): Draft {
  const { eventsUsual, waitUsualMs } = WEBHOOK_LIMITS
  return { url: '', text, maxEvents: String(eventsUsual), maxWaitMs: String(waitUsualMs) }
}

/** The form of an endpoint as it is. */
export function draftOf({ url, kind, params, maxEvents, maxWaitMs }: Webhook): Draft {
  const text = JSON.stringify({ method: `${kind}Subscribe`, params }, null, 2)
  return { url, text, maxEvents: String(maxEvents), maxWaitMs: String(maxWaitMs) }
}

/** The numbers of a form: member, label, smallest and largest. */
export const NUMBERS = [
  ['maxEvents', 'Events in a message', 1, WEBHOOK_LIMITS.eventsMost],
  ['maxWaitMs', 'Wait for more, ms', 0, WEBHOOK_LIMITS.waitMostMs],
] as const

/** What is wrong with a form, and where. */
export type DraftFault = Readonly<{ field: keyof Draft; words: string }>

/** Reads a form, of an endpoint of `kindNow` if there is one; the service checks the rest. */
export function readDraft(draft: Draft, kindNow?: Webhook['kind']): WebhookBody | DraftFault {
  const url = draft.url.trim()
  if (url === '') return { field: 'url', words: 'Enter the address that takes the events.' }
  const request = readObject(draft.text)
  if (!request) return { field: 'text', words: 'The request is not a JSON object.' }
  const [, kind] = /^(swap|newPair)Subscribe$/.exec(String(request.method)) ?? []
  if (!kind) return { field: 'text', words: 'A webhook takes a swapSubscribe or a newPairSubscribe.' }
  if (kindNow && kind !== kindNow) {
    return { field: 'text', words: `This endpoint takes a ${kindNow}Subscribe. Create another one for this.` }
  }
  for (const [field, , least, most] of NUMBERS) {
    const number = draft[field] === '' ? Number.NaN : Number(draft[field])
    const words = `Enter a whole number from ${least} to ${formatNumber(most)}.`
    if (!(Number.isInteger(number) && number >= least && number <= most)) return { field, words }
  }
  return {
    ...{ url, kind: kind as 'swap' | 'newPair', params: request.params as WebhookBody['params'] },
    ...{ maxEvents: Number(draft.maxEvents), maxWaitMs: Number(draft.maxWaitMs) },
  }
}
