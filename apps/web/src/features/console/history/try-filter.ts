import { FilterTrial } from '@pairwire/contract/history-trial'
import { LATER_PATHS } from '@pairwire/contract/later-paths'
import { callApi } from '../../../api/http-client.ts'
import { readAnswer } from '../../../api/read-answer.ts'

/** A filter as in a subscribe, and the hours to try it over, 1 to 24. */
export type TrialBody = Readonly<{ kind: 'swap' | 'newPair'; params: object; hours: number }>

/** Counts what a filter would have matched in the last complete hours; mistakes get the stream's error sentences. */
export async function tryFilter(body: TrialBody): Promise<FilterTrial> {
  return readAnswer(FilterTrial, await callApi(LATER_PATHS.tryFilter, { session: true, body }))
}
