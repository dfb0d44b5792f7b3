import type { Brand } from '@pairwire/process/brand'
import type { Html } from '../html.ts'

/** A page of the documentation: text on the left, each part's code on the right if there is room. */
export type DocPage = Readonly<{
  /** Address, from `/docs` on. */
  path: string
  title: string
  /** One sentence for search engines, the search and `llms.txt`. */
  description: string
  group: DocGroup
  /** Whether the contents omit it; pages of single errors are found by search and by link. */
  isUnlisted?: boolean
  /** Its twin for machines: the Markdown source with every placeholder filled. */
  markdown: string
  /** The content below the title. */
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

/** What differs between deployments in the docs, and the folders of its pages and programs. */
export type DocsSettings = Readonly<{
  streamUrl: string
  publicUrl: string
  supportEmail: string
  brand: Brand
  docsRoot: string
  pagesRoot: string
}>
