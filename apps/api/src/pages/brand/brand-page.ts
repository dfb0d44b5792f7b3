import type { Brand } from '@pairwire/process/brand'
import { html } from '../html.ts'
import { LOOK_PATH, logoOf, lookOf, markOf } from './brand-look.ts'

/**
 * The dashboard's first HTML with the brand's title, logo, colours and figures of plans in it, which its scripts take from
 * there, so that nothing of ours is seen before them.
 *
 * @throws if the page lacks the place of one of them
 */
export function brandPage(page: string, brand: Brand): string {
  const title = html`${brand.name}`.text
  const look = lookOf(brand) && html`<link rel="stylesheet" href="${LOOK_PATH}">`.text
  const wantsLogo = brand.isOwn || brand.logo !== undefined
  const hasFigures = Object.keys(brand.figures).length > 0
  // "<" would end the element early.
  const figures = JSON.stringify(brand.figures).replaceAll('<', '\\u003c')
  const changes: readonly (readonly [isWanted: boolean, RegExp, string])[] = [
    [brand.isOwn, /<title>[^<]*/, `<title>${title}`],
    [brand.isOwn, /(?<=og:site_name" content=")[^"]*/, title],
    [brand.isOwn, /(?<=og:title" content=")[^"]*/, title],
    [brand.isOwn, /\s*<meta property="og:image"[^>]*>/, ''],
    [wantsLogo, /(?<=<a class="brand"[^>]*>)[\s\S]*?(?=<\/a>)/, wantsLogo ? logoOf(brand, '').text : ''],
    [markOf(brand) !== undefined, /(?<=rel="icon"[^>]*href=")[^"]*/, '/brand/mark.svg'],
    [look !== '', /(?=<\/head>)/, look],
    [hasFigures, /(?=<\/head>)/, `<script type="application/json" id="figures">${figures}</script>`],
  ]
  return changes
    .filter(([isWanted]) => isWanted)
    .reduce((text, [, place, put]) => {
      if (!place.test(text)) throw new Error(`The dashboard's page has no ${place}.`)
      return text.replace(place, () => put)
    }, page)
}
