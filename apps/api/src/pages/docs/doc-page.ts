import type { Html } from '../html.ts'

/** A page of the documentation: text at the left, code at the right of each part where there is room. */
export type DocPage = Readonly<{
  /** Address, from `/docs` on. */
  path: string
  title: string
  /** One sentence for search engines, the search and `llms.txt`. */
  description: string
  group: DocGroup
  /** Whether the contents leave it out; pages of single errors are found by search and by link. */
  isUnlisted?: boolean
  /** Its twin for machines: the Markdown that it is drawn from, with every placeholder filled. */
  markdown: string
  /** What stands under the title. */
  lead: DocPart
  sections: readonly DocSection[]
}>

/** Text, and the code beside it. */
type DocPart = Readonly<{ text: Html; code: Html | undefined }>

/** A part of a page with a heading that can be linked to. */
export type DocSection = DocPart & Readonly<{ id: string; heading: string }>

/** Headings of the contents, in their order. */
export const DOC_GROUPS = ['Start', 'Streams', 'Reference', 'Guides', 'Legal'] as const

/** One of {@link DOC_GROUPS}. */
export type DocGroup = (typeof DOC_GROUPS)[number]

/** What the documentation says differently on each deployment, and the folders of its pages and of its programs. */
export type DocsSettings = Readonly<{
  streamUrl: string
  publicUrl: string
  supportEmail: string
  docsRoot: string
  pagesRoot: string
}>
