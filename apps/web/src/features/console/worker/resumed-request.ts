import { NOTIFICATION_METHODS, type StreamKind } from '@pairwire/contract/methods'
import { type Fields, fieldsIn, isFields } from '../read-event.ts'
import { type JsonToken, tokenizeJson } from '../tokenize-json.ts'

/** The kinds of event that the console counts, each asked for by a request of its own. */
export type CountedKind = Exclude<StreamKind, 'latestBlock'>

/** The kind of stream that a request subscribes to, if it is one subscribe whose events are counted. */
export function subscribedKind(request: string): CountedKind | undefined {
  const { method, params }: Fields = fieldsIn(request) ?? {}
  const isFit = params === undefined || params === null || isFields(params)
  return isFit ? KINDS.find((kind) => method === `${kind}Subscribe`) : undefined
}

/**
 * A subscribe request with `resume_from` put into its `params`, or put right where it stands there already; nothing
 * else of its text is touched. Of members of one name the last counts, as for `JSON.parse`.
 */
export function resumedRequest(request: string, cursor: string): string {
  const tokens = tokenizeJson(request)
  const root = skipSpace(tokens, 0)
  const place = `"resume_from":${JSON.stringify(cursor)}`
  const params = findMember(tokens, root, 'params')
  if (params === undefined) return joined(tokens, root, root, `{"params":{${place}},`)
  if (tokens[params]!.text !== '{') return joined(tokens, params, params, `{${place}}`)

  const present = findMember(tokens, params, 'resume_from')
  if (present !== undefined) {
    return joined(tokens, present, lastOf(tokens, present), JSON.stringify(cursor))
  }
  const isEmpty = tokens[skipSpace(tokens, params + 1)]!.text === '}'
  return joined(tokens, params, params, `{${place}${isEmpty ? '' : ','}`)
}

const KINDS = (Object.keys(NOTIFICATION_METHODS) as StreamKind[]).filter((kind) => kind !== 'latestBlock')

/** The token at which the value of a member begins, in the object that opens at `open`. */
function findMember(tokens: readonly JsonToken[], open: number, name: string): number | undefined {
  let found: number | undefined
  for (let at = open + 1; tokens[at]!.text !== '}'; at++) {
    const { kind, text } = tokens[at]!
    if (kind !== 'key') continue
    const colon = skipSpace(tokens, at + 1)
    at = skipSpace(tokens, colon + 1)
    if (JSON.parse(text) === name) found = at
    at = lastOf(tokens, at)
  }
  return found
}

/** The last token of the value that begins at `at`. */
function lastOf(tokens: readonly JsonToken[], at: number): number {
  let depth = 0
  for (let last = at; ; last++) {
    const { text } = tokens[last]!
    if (text === '{' || text === '[') depth++
    if (text === '}' || text === ']') depth--
    if (depth === 0) return last
  }
}

function skipSpace(tokens: readonly JsonToken[], from: number): number {
  return tokens[from]!.kind === 'space' ? from + 1 : from
}

/** The text of all tokens, those from `from` to `to` replaced. */
function joined(tokens: readonly JsonToken[], from: number, to: number, text: string): string {
  return [...tokens.slice(0, from), { text }, ...tokens.slice(to + 1)].map((token) => token.text).join('')
}
