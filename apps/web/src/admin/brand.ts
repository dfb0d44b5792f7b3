import { setPlanFigures } from '@pairwire/contract/plans'

// The service's own name, mark and figures of plans, before anything reads ours.
const { name, mark, figures } = JSON.parse(document.getElementById('brand')?.textContent ?? '{}')
if (name) document.title += ` · ${name}`
if (figures) setPlanFigures(figures)

const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]')
if (icon && mark) icon.href = `data:image/svg+xml,${encodeURIComponent(mark)}`

/** Address of the mark, ours or the service's own. */
export const MARK = icon?.href
