import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Brand } from '@pairwire/process/brand'
import { LOOK_PATH, lookOf } from './brand/brand-look.ts'
import { type Html, html } from './html.ts'

/**
 * Links to the style sheet and the first font that the pages made here share with the dashboard: files of its build, so that
 * browsers cache one copy for both, and to the brand's colours. Without a build there is nothing of it to link to.
 */
export function readLook(webRoot: string | undefined, brand: Brand): Html {
  const folder = webRoot && join(webRoot, 'assets')
  const names = folder && existsSync(folder) ? readdirSync(folder) : []
  const face = names.find((name) => /^instrument-sans-latin-wght.*\.woff2$/.test(name))
  const sheet = names.find((name) => /^frame-.*\.css$/.test(name))
  return html`${
    face &&
    html`<link rel="preload" as="font" type="font/woff2" href="/assets/${face}" crossorigin>
`
  }${sheet && html`<link rel="stylesheet" href="/assets/${sheet}">`}${
    lookOf(brand) !== '' && html`<link rel="stylesheet" href="${LOOK_PATH}">`
  }`
}
