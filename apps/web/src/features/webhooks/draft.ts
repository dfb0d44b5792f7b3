import type { Webhook, WebhookBody } from '@pairwire/contract'
import { WEBHOOK_LIMITS } from '@pairwire/contract/webhook-calls'
import { createStore } from '../../components/store.ts'

/** What was typed into an endpoint's form. */
export type Draft = Readonly<{
  url: string
  /** The subscription request, as in the console. */
  text: string
  maxEvents: string
  maxWaitMs: string
}>

/** The open forms by their endpoint, a new one's by the empty text: they outlive a change of page. */
export const drafts = createStore<Readonly<Record<string, Draft | undefined>>>({})

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

/** What is wrong with a form, and where. */
export type DraftFault = Readonly<{ field: 'url' | 'text'; words: string }>

/** Reads a form; the service checks the rest. */
export function readDraft(draft: Draft): WebhookBody | DraftFault {
  const url = draft.url.trim()
  if (url === '') return { field: 'url', words: 'Enter the address that takes the events.' }
  const request = parse(draft.text)
  if (!request) return { field: 'text', words: 'The request is not a JSON object.' }
  const [, kind] = /^(swap|newPair)Subscribe$/.exec(String(request.method)) ?? []
  if (!kind) return { field: 'text', words: 'A webhook takes a swapSubscribe or a newPairSubscribe.' }
  return {
    ...{ url, kind: kind as 'swap' | 'newPair', params: request.params as WebhookBody['params'] },
    ...{ maxEvents: Number(draft.maxEvents), maxWaitMs: Number(draft.maxWaitMs) },
  }
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
