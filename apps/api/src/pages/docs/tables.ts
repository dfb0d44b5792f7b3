import { EXCHANGES, exchangeName, PAIR_EXCHANGES, PLANS, UNSEEN_EXCHANGES } from '@pairwire/contract'
import { MACHINE_VERBS, VERBS, wordsOf } from '@pairwire/contract/operator'
import { ALARM_RULES } from '../../alarms/alarm-table.ts'
import { ERROR_PAGES } from '../error-pages.ts'
import { listedRoutes } from '../specs/route-summaries.ts'
import { adviceOn } from './errors.ts'
import { EXAMPLE_FRAMES } from './example-frames.ts'

// Lists and tables in Markdown, generated from the contract.

/** The price and limits of each plan. */
export function planTable(): string {
  return writeTable(
    ['Plan', 'Price', 'New pairs', 'Swaps', 'Accounts in the swap filter', 'Connections'],
    PLANS.map((plan) => [
      plan.name,
      `$${plan.usdPerMonth}/month`,
      'unlimited',
      plan.swapEventsPerPeriod === null
        ? `unlimited${plan.swapFilterRequired ? ', at least one filter' : ''}`
        : `${plan.swapEventsPerPeriod.toLocaleString('en-GB')} a month`,
      plan.swapFilterAccounts.toLocaleString('en-GB'),
      String(plan.connections),
    ]),
  )
}

/** The endpoints of webhooks that each plan allows. */
export function webhookPlanTable(): string {
  return writeTable(
    ['Plan', 'Endpoints'],
    PLANS.map(({ name, webhooks }) => [name, String(webhooks)]),
  )
}

/** The calls of the HTTP API. */
export function callTable(): string {
  return writeTable(
    ['Call', 'Session', 'Does'],
    listedRoutes().map(({ method, path, session, byKey, summary }) => [
      `\`${method} ${path}\``,
      byKey ? 'or key' : session ? 'yes' : 'no',
      summary,
    ]),
  )
}

/** The verbs of the operator's tool: those of the registry, then those of the machine. */
export function verbTable(): string {
  const registry = Object.entries(VERBS).map(([name, verb]) => ({ ...verb, name, words: wordsOf(verb) }))
  return writeTable(
    ['Verb', 'Does'],
    [...registry, ...Object.values(MACHINE_VERBS).flat()].map(({ name, words, help }) => [
      // A bar would end the cell.
      `\`${`${name} ${words}`.trim().replaceAll(' | ', ', ')}\``,
      `${help[0]!.toUpperCase()}${help.slice(1)}.`,
    ]),
  )
}

/** The alarms, and for how long each cause may last before operators are told. */
export function alarmTable(): string {
  return writeTable(
    ['Alarm', 'Cause', 'After'],
    ALARM_RULES.map(({ name, sentence, patienceMs }) => [
      `\`${name}\``,
      sentence,
      patienceMs === 0 ? '' : patienceMs >= 60_000 ? `${patienceMs / 60_000} min` : `${patienceMs / 1_000} s`,
    ]),
  )
}

/** Names of exchanges: all, those where pairs begin, those on which no recorded trade was seen. */
export const EXCHANGE_LISTS = {
  all: EXCHANGES.map((name) => `\`${name}\``).join(', '),
  pairs: PAIR_EXCHANGES.map((name) => `\`${name}\``).join(', '),
  unseen: UNSEEN_EXCHANGES.map(exchangeName).join(', '),
}

/** The errors of a kind, each with its page and what happened. */
export function errorTable(kind: string, advice: ReadonlyMap<string, string>): string {
  const heads = [
    ...(kind === 'sdk' ? [] : [kind === 'http' ? 'Status' : 'Code']),
    kind === 'close' ? 'Reason' : 'errorType',
    'What happened',
  ]
  return writeTable(
    kind === 'close' ? [...heads, 'Reconnect automatically?'] : heads,
    ERROR_PAGES.filter((page) => page.kind === kind).map(({ code, title, name, comeBack }) => [
      ...(code === undefined ? [] : [`\`${code}\``]),
      `[${title}](/docs/errors/${name})`,
      adviceOn(title, advice).happened,
      ...(comeBack === undefined ? [] : [comeBack ? 'Yes' : 'No']),
    ]),
  )
}

/** The fields of a frame, or of its facts: those of every event first, each with its value in the example. */
export function fieldTable(kind: string, fields: ReadonlyMap<string, string>): string {
  const isWhole = kind === 'block' || kind.endsWith('Facts')
  const tables = isWhole ? [fields.get(kind)] : [fields.get('event'), fields.get(kind)]
  const rows = tables.flatMap((table) => table?.split('\n').slice(2) ?? [])
  return writeTable(
    ['Field', 'Type', 'Example', 'Meaning'],
    rows.map((row) => {
      const [path = '', type = '', meaning = ''] = row.slice(2, -2).split(' | ')
      return [path, type, `\`${exampleOf(kind, path.slice(1, -1))}\``, meaning]
    }),
  )
}

/** The value at a path of the example frame, truncated if long. */
function exampleOf(kind: string, path: string): string {
  let value: unknown = Object.entries(EXAMPLE_FRAMES).find(([name]) => name === kind)?.[1]
  for (const name of path.split('.')) value = Object.entries(value ?? {}).find(([key]) => key === name)?.[1]
  const text = JSON.stringify(value) ?? ''
  if (text.startsWith('{')) return text.replace(/,.*/, ',…}')
  return text.length > MAX_EXAMPLE ? `${text.slice(0, 13)}…"` : text
}

/** Characters of an example; a signature is longer. */
const MAX_EXAMPLE = 60

function writeTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n')
}
