/** The source of an hour's events: hours of different sources never mix. */
export const SOURCE_KINDS = ['chain', 'recording', 'simulator'] as const
export type SourceKind = (typeof SOURCE_KINDS)[number]
