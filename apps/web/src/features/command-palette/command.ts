import type { IconName } from '../../components/icon.tsx'

/** A command of the palette. */
export type Command = Readonly<{
  /** Unique among the offered commands. */
  id: string
  group: string
  label: string
  icon: IconName
  /** Additional search words besides its label and its group. */
  keywords?: string
  /** At the end of its line: its current value, or where it leads. */
  note?: string
  /**
   * Runs after the palette has closed; or at once if it answers with words, which are shown for a moment before the
   * palette closes.
   */
  run: (() => void) | Readonly<{ answering: () => Promise<'Copied' | 'Not copied'> }>
}>
