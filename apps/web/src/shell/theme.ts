import { keep } from '../components/kept.ts'

/** What the user chose; `system` follows the device. */
export type Theme = 'system' | 'light' | 'dark'

/** The choices, in the order in which they are offered. */
export const THEMES: readonly Theme[] = ['system', 'light', 'dark']

/** The labels of the choices. */
export const THEME_LABELS: Readonly<Record<Theme, string>> = {
  system: 'System',
  light: 'Light',
  dark: 'Dark',
}

const KEY = 'theme'

/** The choice stored in this browser. */
export function readTheme(): Theme {
  const theme = document.documentElement.dataset.theme
  return theme === 'light' || theme === 'dark' ? theme : 'system'
}

/** Applies and stores a choice; the first script of the page applies it again at the next visit. */
export function chooseTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
  keep(KEY, theme === 'system' ? undefined : theme)
}

/** Calls `listener` after each choice; returns a function that stops it. */
export function watchTheme(listener: () => void): () => void {
  const observer = new MutationObserver(listener)
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] })
  return () => observer.disconnect()
}
