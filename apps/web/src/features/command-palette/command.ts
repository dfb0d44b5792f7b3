import type { IconName } from '../../components/icon.tsx'

/** Something that the command palette offers. */
export type Command = Readonly<{
  /** Unique among the commands on offer. */
  id: string
  group: string
  label: string
  icon: IconName
  /** Words by which it is found beside its label and its group. */
  keywords?: string
  /** At the end of its line: what it is now, or where it leads. */
  note?: string
  /**
   * Runs after the palette has closed, or at once where it answers with words: those stand in its place for a moment
   * before the palette closes.
   */
  run: (() => void) | Readonly<{ answering: () => Promise<string> }>
}>
