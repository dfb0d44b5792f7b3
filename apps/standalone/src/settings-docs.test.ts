import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')

it('documents every variable that the configuration reads', () => {
  const schema = read('../../../packages/process/src/settings.ts')
    .split('export const VARIABLES = {')[1]!
    .split('\n}')[0]!
  const names = [...schema.matchAll(/^ {2}([A-Z0-9_]+):/gm)].map(([, name]) => name!)

  const page = read('../../../docs/site/self-hosting.md')

  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
  expect(names.length).toBeGreaterThan(20)
})
