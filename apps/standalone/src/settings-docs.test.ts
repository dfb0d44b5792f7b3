import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseEnv } from 'node:util'
import { VARIABLES } from '@pairwire/process'
import { describe, expect, it } from 'vitest'
import { readConfig } from './config.ts'

const README = '../../../README.md'
const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const read = (path: string) => readFileSync(pathOf(path), 'utf8')

const page = read('../../../docs/site/self-hosting.md')
const table = page.match(/^\| Variable \|[\s\S]*?\n\n/m)![0].trimEnd()
const rows = table
  .split('\n')
  .slice(2)
  .map((line) => line.slice(2, -2).split(' | '))
  .map(([names = '', usual = '', meaning = '']) => ({
    names: [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name!),
    usual: withoutMarks(usual),
    meaning: withoutMarks(meaning),
  }))

/** The text of a cell, for a place that draws no Markdown. */
function withoutMarks(text: string): string {
  return text.replace(/\[([^\]]+)\]\([^)]+\)/g, '$1').replaceAll('`', '')
}

/** The value of a variable that is not set: as code has it, or as the table says it where code has parsed it. */
function usualOf(name: string, usual: string): string {
  const value = VARIABLES[name as keyof typeof VARIABLES].safeParse(undefined).data
  return value === undefined ? '' : typeof value === 'object' ? usual : String(value)
}

function example(): string {
  const parts = rows.map(({ names, usual, meaning }) => {
    const sentence = `${meaning} Default: ${usual}.`.replace(/(.{1,100})(?: |$)/g, '# $1\n')
    return `${sentence}${names.map((name) => `#${name}=${usualOf(name, usual)}\n`).join('')}`
  })
  const head =
    '# Settings of Pairwire. Copy this file to .env and take the # before the names that you set. `npm start` and\n' +
    '# `npm run pairwire` read it; what is set in the real environment wins. Never commit .env: it holds secrets.\n'
  return [head, ...parts].join('\n')
}

describe('the settings', () => {
  it('stand in the table of the docs, every variable that the code reads and no other', () => {
    expect(rows.flatMap(({ names }) => names).sort()).toEqual(Object.keys(VARIABLES).sort())
  })

  it('have their real defaults there', () => {
    for (const { names, usual } of rows.filter(({ usual }) => usual !== 'placeholders')) {
      for (const name of names) expect(usual, name).toContain(usualOf(name, usual))
    }
  })

  // `npx vitest run apps/standalone/src/settings-docs.test.ts -u` writes both files again.
  it('stand in .env.example as the table has them', async () => {
    await expect(example()).toMatchFileSnapshot(pathOf('../../../.env.example'))
  })

  it('mean the same with every line of .env.example taken in, but for the secrets', () => {
    const taken = parseEnv(example().replaceAll(/^#(?=[A-Z])(?!.*SECRET=)/gm, ''))

    expect(Object.keys(taken).length).toBeGreaterThan(40)
    expect(readConfig(taken)).toEqual(readConfig({}))
  })

  it('stand in the README as the table has them', async () => {
    const lines = table.replace(/\[([^\]]+)\]\(\/docs\/[^)]+\)/g, '$1')
    const readme = read(README).replace(/^\| [vV]ariable \|[\s\S]*?\n\n/m, () => `${lines}\n\n`)
    await expect(readme).toMatchFileSnapshot(pathOf(README))
  })
})
