import { existsSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { codeOf, messageOf } from '@pairwire/basics'
import { PLANS, type PlanFigures } from '@pairwire/contract'
import * as z from 'zod'
import { settingsPart } from '../settings.ts'
import { contrast } from './contrast.ts'
import { lineAt, type Picture, readPicture } from './read-picture.ts'

/** Legal texts that a folder may bring. */
export const LEGAL_TEXTS = ['terms', 'privacy', 'disclaimer', 'imprint', 'refunds'] as const

/** Under which name and look customers meet the service. */
export type Brand = Readonly<{
  name: string
  /** Whether it is the operator's, so that nothing may name the software. */
  isOwn: boolean
  /** `#rrggbb`, for the light and the dark theme; undefined for ours. */
  accent?: string | undefined
  accentDark?: string | undefined
  logo?: Picture | undefined
  mark?: Picture | undefined
  /** Markdown; the ones that are missing are the samples, or there is none. */
  texts: Readonly<Partial<Record<(typeof LEGAL_TEXTS)[number], string>>>
  figures: PlanFigures
}>

/** The software's own. */
export const PAIRWIRE: Brand = { name: 'Pairwire', isOwn: false, texts: {}, figures: {} }

/** The folder of the name and look: `DATA_DIR/brand`, if it exists, without the variable. */
export const brandSettings = settingsPart(['BRAND_DIR', 'DATA_DIR'], (values, faults) => {
  const usual = resolve(values.DATA_DIR, 'brand')
  const folder = values.BRAND_DIR ? resolve(values.BRAND_DIR) : existsSync(usual) ? usual : undefined
  return { brand: readBrand(folder, faults) }
})

/** Contrast below which people with weak eyes cannot read. @see https://www.w3.org/TR/WCAG22/#contrast-minimum */
const LEAST_CONTRAST = 4.5

/** The grounds of each theme, as in design/tokens.css. */
const GROUNDS = {
  accent: { theme: 'light', grounds: ['#F5F4F0', '#FFFFFF'] },
  accentDark: { theme: 'dark', grounds: ['#0D100F', '#141817'] },
} as const

const colour = z
  .string('must be a colour, such as "#00627a".')
  .regex(/^#[\da-f]{6}$/i, 'must be a colour, such as "#00627a".')
const name = z
  .string('must be a text.')
  .regex(
    /^[^\s\p{C}<>"](?:[^\p{C}<>"]{0,38}[^\s\p{C}<>"])?$/u,
    'must be 1 to 40 characters, without < > and ".',
  )
const BrandFile = z.strictObject({
  name: name.optional(),
  accent: colour.optional(),
  accentDark: colour.optional(),
})

const whole = (least: number, most: number) => {
  const message = `must be a whole number from ${least} to ${most.toLocaleString('en-GB')}.`
  return z.int(message).min(least, message).max(most, message).optional()
}
const Figures = z
  .strictObject({
    name,
    usdPerMonth: whole(0, 1_000_000),
    swapEventsPerPeriod: z.union(
      [z.null(), whole(1, 1_000_000_000)],
      'must be a whole number from 1, or null.',
    ),
    swapFilterAccounts: whole(1, 1_000),
    swapFilterRequired: z.boolean('must be true or false.'),
    connections: whole(1, 100_000),
    webhooks: whole(0, 1_000),
  })
  .partial()
  .optional()
const PlansFile = z.strictObject({ 1: Figures, 2: Figures, 3: Figures, trialDays: whole(0, 365) })

/**
 * Reads the folder once. Every file may be missing; what is wrong is told with file, line and sentence.
 *
 * @param folder undefined without one
 */
export function readBrand(folder: string | undefined, faults: string[]): Brand {
  if (folder === undefined) return PAIRWIRE
  const files = new BrandFiles(folder, faults)
  const { name, ...colours } = files.readJson('brand.json', BrandFile) ?? {}
  for (const [member, { theme, grounds }] of Object.entries(GROUNDS)) {
    const chosen = colours[member as keyof typeof GROUNDS]
    for (const ground of chosen ? grounds : []) {
      const ratio = contrast(chosen!, ground)
      if (ratio >= LEAST_CONTRAST) continue
      const sentence = `${member} ${chosen} has a contrast of ${(Math.floor(ratio * 100) / 100).toFixed(2)}:1 with ${ground} of the ${theme} theme; it needs 4.5:1.`
      files.fault('brand.json', files.lineOf('brand.json', [member]), sentence)
      break
    }
  }
  const figures = (files.readJson('plans.json', PlansFile) ?? {}) as PlanFigures
  const names = PLANS.map(({ id, name }) => (figures[id]?.name ?? name).toLowerCase())
  const twice = names.findIndex((name, at) => names.indexOf(name) < at)
  if (twice >= 0)
    files.fault('plans.json', files.lineOf('plans.json', [PLANS[twice]!.id]), 'two plans have the same name.')
  return {
    ...{ name: name ?? PAIRWIRE.name, isOwn: name !== undefined, ...colours, figures },
    logo: files.readPicture('logo.svg'),
    mark: files.readPicture('mark.svg'),
    texts: Object.fromEntries(
      LEGAL_TEXTS.map((text) => [text, files.read(`${text}.md`)]).filter(([, text]) => text !== undefined),
    ),
  }
}

/** The files of the folder, and where in them something is wrong. */
class BrandFiles {
  readonly #folder: string
  readonly #faults: string[]

  constructor(folder: string, faults: string[]) {
    this.#folder = folder
    this.#faults = faults
    try {
      statSync(`${folder}/.`)
    } catch (error) {
      const isGone = codeOf(error) === 'ENOENT'
      faults.push(`BRAND_DIR: ${folder} ${isGone ? 'does not exist' : `cannot be read (${codeOf(error)})`}.`)
    }
  }

  fault(file: string, line: number, sentence: string): void {
    this.#faults.push(`BRAND_DIR: ${join(this.#folder, file)}:${line}: ${sentence}`)
  }

  /** The text of a file; undefined if there is none. */
  read(file: string): string | undefined {
    const path = join(this.#folder, file)
    try {
      return existsSync(path) ? readFileSync(path, 'utf8') : undefined
    } catch (error) {
      this.fault(file, 1, `cannot be read: ${messageOf(error)}`)
      return undefined
    }
  }

  readPicture(file: string): Picture | undefined {
    const svg = this.read(file)
    return svg === undefined
      ? undefined
      : readPicture(svg, (line, sentence) => this.fault(file, line, sentence))
  }

  readJson<Schema extends z.ZodType>(file: string, schema: Schema): z.infer<Schema> | undefined {
    const text = this.read(file)
    if (text === undefined) return undefined
    let given: unknown
    try {
      given = JSON.parse(text)
    } catch (error) {
      const [, at = text.length] = /position (\d+)/.exec(messageOf(error)) ?? []
      this.fault(file, lineAt(text, Number(at)), `is not JSON: ${messageOf(error)}`)
      return undefined
    }
    const { data, error } = schema.safeParse(given)
    for (const issue of error?.issues ?? []) {
      if (issue.code === 'unrecognized_keys')
        for (const key of issue.keys)
          this.fault(file, this.lineOf(file, [...issue.path, key]), `there is nothing of the name ${key}.`)
      else this.fault(file, this.lineOf(file, issue.path), `${issue.path.join('.') || 'it'} ${issue.message}`)
    }
    return data
  }

  /** The line of a member, found by the names that lead to it. */
  lineOf(file: string, path: readonly PropertyKey[]): number {
    const text = this.read(file) ?? ''
    let at = 0
    for (const key of path) at = Math.max(at, text.indexOf(JSON.stringify(String(key)), at))
    return lineAt(text, at)
  }
}
