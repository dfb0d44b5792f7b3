import { readdirSync, readFileSync } from 'node:fs'
import { VERBS } from '@pairwire/contract/operator'
import { expect, it } from 'vitest'

const folder = new URL('pages/', import.meta.url)
const pages = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8'))

// A verb that is added later must not be one of the tool alone.
it.each(Object.entries(VERBS).filter(([, { access }]) => access === 'write' || access === 'grave'))(
  '%s can be used in the room: as a form of a person, or on a page that names it',
  (name, { input }) => {
    expect('who' in input.shape || pages.some((page) => page.includes(`name="${name}"`))).toBe(true)
  },
)
