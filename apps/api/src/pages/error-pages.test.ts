import {
  CLOSE_REASONS,
  ERROR_TYPES,
  errorPageName,
  SDK_ERROR_TYPES,
  SDK_LINE_ERRORS,
  STREAM_ERROR_TYPES,
} from '@pairwire/contract'
import { STREAM_SENTENCES } from '@pairwire/filter'
import { describe, expect, it } from 'vitest'
import { ERROR_PAGES, findErrorPage } from './error-pages.ts'

describe('error pages', () => {
  it('exist for every error of the contract, each under a unique name', () => {
    const tables = [STREAM_ERROR_TYPES, CLOSE_REASONS, ERROR_TYPES, SDK_ERROR_TYPES, SDK_LINE_ERRORS]
    const names = tables.flatMap((table) => Object.keys(table))

    expect(ERROR_PAGES.map((page) => page.name).sort()).toEqual([...new Set(names.map(errorPageName))].sort())
    expect(new Set(ERROR_PAGES.map((page) => page.name)).size).toBe(ERROR_PAGES.length)
  })

  it.each([
    ['keyUnknown', 'key-unknown'],
    ['KEY_UNKNOWN', 'key-unknown'],
    ['key-unknown', 'key-unknown'],
    ['ERR_NOT_FOUND', 'not-found'],
    ['NOT_JSON', 'not-json'],
    ['FILTER_OUTSIDE_PARAMS', 'filter-outside-params'],
  ])('are found by the name %s', (name, found) => {
    expect(findErrorPage(name)?.name).toBe(found)
  })

  it('show the sentence that the stream sends with an error', () => {
    expect(findErrorPage('FILTER_REQUIRED')?.sentence).toBe(STREAM_SENTENCES.FILTER_REQUIRED())
    expect(findErrorPage('PLAN_USED_UP')?.sentence).toContain('all 1,000 swap events of NewPairs Only')
  })

  it('do not exist for unknown names', () => {
    expect(findErrorPage('toString')).toBeUndefined()
    expect(findErrorPage('')).toBeUndefined()
  })
})
