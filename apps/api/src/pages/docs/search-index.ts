import { Html, textOf } from '../html.ts'
import type { DocPage } from './doc-page.ts'

/** One target of the search: a page, or a part of one. */
export type SearchEntry = Readonly<{ title: string; of: string; url: string; text: string }>

/** The search index, built once from the pages themselves; the browser searches it. */
export function searchIndex(pages: readonly DocPage[]): SearchEntry[] {
  return pages.flatMap((page) => [
    {
      title: page.title,
      of: page.group,
      url: page.path,
      // Without programs, which Pulse has in its lead.
      text: `${page.description} ${textOf(new Html(page.lead.text.text.replace(/<pre[\s\S]*?<\/pre>/g, '')))}`,
    },
    ...(page.isUnlisted
      ? []
      : page.sections.map(({ id, heading, text }) => ({
          title: heading,
          of: page.title,
          url: `${page.path}#${id}`,
          text: textOf(text),
        }))),
  ])
}
