import type { Html } from '../html.ts'

/** A page of the documentation: text at the left, code at the right of each part where there is room. */
export type DocPage = Readonly<{
  /** Address, from `/docs` on. */
  path: string
  title: string
  /** One sentence for search engines, the search and `llms.txt`. */
  description: string
  group: DocGroup
  /** First words under the title. */
  lead: Html
  /** Code beside the title. */
  leadCode?: Html
  sections: readonly DocSection[]
  /** Whether the contents leave it out; pages of single errors are found by search and by link. */
  isUnlisted?: boolean
}>

/** A part of a page with a heading that can be linked to. */
export type DocSection = Readonly<{ id: string; heading: string; text: Html; code?: Html }>

/** Headings of the contents, in their order. */
export const DOC_GROUPS = ['Start', 'Streams', 'Reference', 'Guides', 'Legal'] as const

/** One of {@link DOC_GROUPS}. */
type DocGroup = (typeof DOC_GROUPS)[number]

/** What the documentation says differently on each deployment. */
export type DocsSettings = Readonly<{ streamUrl: string; publicUrl: string; supportEmail: string }>
