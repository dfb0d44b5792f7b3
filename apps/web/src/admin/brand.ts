import { setPlanFigures } from '@pairwire/contract/plans'

// The service's own name, mark and figures of plans, before anything reads ours.
const { name, mark, look, figures } = JSON.parse(document.getElementById('brand')?.textContent ?? '{}')
if (name) document.title += ` · ${name}`
if (figures) setPlanFigures(figures)

// The page's policy takes no style sheet from inside of the page.
const colours = new CSSStyleSheet()
colours.replaceSync(look ?? '')
document.adoptedStyleSheets = [colours]

const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]')
if (icon && mark) icon.href = `data:image/svg+xml,${encodeURIComponent(mark)}`

/** Address of the mark, ours or the service's own. */
export const MARK = icon?.href
