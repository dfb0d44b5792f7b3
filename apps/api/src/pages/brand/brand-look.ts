import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Brand } from '@pairwire/process/brand'
import { Html, html } from '../html.ts'

/** The address of the style sheet by which a brand's colours override ours. */
export const LOOK_PATH = '/brand/look.css'

/** Height of the logo in the top bar, and its greatest width there. */
const [LOGO_HEIGHT, LOGO_MAX_WIDTH] = [26, 160]

/** The legal texts that only some services have; they join the footers and the register form. */
export function furtherTexts({ texts }: Brand) {
  return (['imprint', 'refunds'] as const).filter((text) => texts[text] !== undefined)
}

/** The logo in the top bar: a picture of the brand, or its name as text, or our drawing. */
export function logoOf({ name, isOwn, logo }: Brand, designRoot: string): Html {
  if (logo) {
    const width = Math.min(Math.round((LOGO_HEIGHT * logo.width) / logo.height), LOGO_MAX_WIDTH)
    return html`<img src="/brand/logo.svg" width="${width}" height="${LOGO_HEIGHT}" alt="${name}">`
  }
  if (isOwn) return html`<span class="wordmark">${name}</span>`
  // Without its own styles, which the pages' policy would block; the style sheet colours it.
  const drawing = readFileSync(join(designRoot, 'logo.svg'), 'utf8')
  return new Html(drawing.replace(/<style>[\s\S]*?<\/style>/g, '').trim())
}

/** The address of the icon, for pages made here. */
export function iconOf(brand: Brand): string {
  return markOf(brand) === undefined ? '/docs/assets/mark.svg' : '/brand/mark.svg'
}

/** The icon as SVG: the brand's, or its first letter, since ours bears our name; undefined for ours. */
export function markOf({ name, isOwn, mark, accent }: Brand): string | undefined {
  if (mark) return mark.svg
  if (!isOwn) return undefined
  return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="${accent ?? '#191B1A'}"/><text x="16" y="23" font-family="sans-serif" font-size="20" font-weight="700" text-anchor="middle" fill="#FFFFFF">${[...name][0]}</text></svg>`
    .text
}

/** The style sheet of the brand's look; empty if it changes nothing. */
export function lookOf({ isOwn, accent, accentDark }: Brand): string {
  const colours =
    accent || accentDark
      ? `:root{--ink:light-dark(${accent ?? 'var(--text)'},${accentDark ?? 'var(--text)'})}.wire{border-color:var(--ink)}`
      : ''
  const wordmark = isOwn ? '.wordmark{color:var(--text);font:650 20px/26px var(--font-ui)}' : ''
  return colours + wordmark
}
