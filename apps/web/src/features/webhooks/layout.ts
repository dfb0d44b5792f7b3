import type { CSSProperties } from 'react'

// Set here: the panel brings no style sheet of its own.

/** A row's part that fills a line. */
export const WIDE: CSSProperties = { width: '100%', overflowWrap: 'anywhere' }

/** Items below each other, across a row. */
export const COLUMN: CSSProperties = { ...WIDE, display: 'grid', gap: 12, minWidth: 0 }

/** Items beside each other, over as many lines as they need. */
export const LINE: CSSProperties = { display: 'flex', flexWrap: 'wrap', gap: 8, alignItems: 'center' }
