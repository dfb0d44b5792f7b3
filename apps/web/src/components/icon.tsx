/** One inline icon set on an 18-unit grid, drawn in the text's colour. */
const DRAWINGS = {
  account: 'M9 3.2a3 3 0 1 1 0 6 3 3 0 0 1 0-6zM3.2 15.2c.8-3 3.1-4.4 5.8-4.4s5 1.4 5.8 4.4',
  arrow: 'M3.5 9h11M10 4.5 14.5 9 10 13.5',
  book: 'M3 3.5h4.5A1.5 1.5 0 0 1 9 5v10a1.5 1.5 0 0 0-1.5-1.5H3zM15 3.5h-4.5A1.5 1.5 0 0 0 9 5v10a1.5 1.5 0 0 1 1.5-1.5H15z',
  braces:
    'M7 3.5H6A1.5 1.5 0 0 0 4.5 5v2.5L3 9l1.5 1.5V13A1.5 1.5 0 0 0 6 14.5h1M11 3.5h1A1.5 1.5 0 0 1 13.5 5v2.5L15 9l-1.5 1.5V13a1.5 1.5 0 0 1-1.5 1.5h-1',
  chat: 'M3 4h12v8H8l-3.5 3v-3H3z',
  check: 'm3.5 9.5 3.5 3.5 7.5-8',
  chevron: 'M4.5 7 9 11.5 13.5 7',
  clock: 'M9 2a7 7 0 1 1 0 14A7 7 0 0 1 9 2zM9 5v4.2l2.8 1.7',
  close: 'm4.5 4.5 9 9M13.5 4.5l-9 9',
  code: 'M6.5 5 2.5 9l4 4M11.5 5l4 4-4 4',
  console: 'M4 3h10a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2H4a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2zM5 7l2.2 2L5 11M9 11.2h4',
  copy: 'M7.5 6h6A1.5 1.5 0 0 1 15 7.5v6a1.5 1.5 0 0 1-1.5 1.5h-6A1.5 1.5 0 0 1 6 13.5v-6A1.5 1.5 0 0 1 7.5 6zM12 6V4.5A1.5 1.5 0 0 0 10.5 3h-6A1.5 1.5 0 0 0 3 4.5v6A1.5 1.5 0 0 0 4.5 12H6',
  ended: 'M9 2a7 7 0 1 1 0 14A7 7 0 0 1 9 2zM5.8 9h6.4',
  external: 'M7 4H4v10h10v-3M10 3h5v5M15 3 8.5 9.5',
  eye: 'M1.5 9S4 4 9 4s7.5 5 7.5 5-2.5 5-7.5 5-7.5-5-7.5-5zM9 6.8a2.2 2.2 0 1 1 0 4.4 2.2 2.2 0 0 1 0-4.4z',
  eyeOff:
    'M1.5 9S4 4 9 4s7.5 5 7.5 5-2.5 5-7.5 5-7.5-5-7.5-5zM9 6.8a2.2 2.2 0 1 1 0 4.4 2.2 2.2 0 0 1 0-4.4zM3 15 15 3',
  help: 'M9 2a7 7 0 1 1 0 14A7 7 0 0 1 9 2zM7 7.2c.2-1.3 1-1.9 2.1-1.9 1.2 0 2 .8 2 1.8 0 1.5-2.1 1.6-2.1 3.1M9 12.8v.1',
  info: 'M9 2a7 7 0 1 1 0 14A7 7 0 0 1 9 2zM9 8.2v4.2M9 5.6v.1',
  key: 'M6 8.8a3.2 3.2 0 1 1 0 6.4 3.2 3.2 0 0 1 0-6.4zM8.3 9.7l6.2-6.2M12 6l2 2',
  leave: 'M7.5 3H4v12h3.5M11 5.5 14.5 9 11 12.5M14.5 9H7.5',
  mail: 'M3.5 4h11A1.5 1.5 0 0 1 16 5.5V13a1.5 1.5 0 0 1-1.5 1.5h-11A1.5 1.5 0 0 1 2 13V5.5A1.5 1.5 0 0 1 3.5 4zM2.5 5 9 10l6.5-5',
  menu: 'M3 5h12M3 9h12M3 13h12',
  moon: 'M15 10.5A6.5 6.5 0 1 1 7.5 3a5 5 0 0 0 7.5 7.5z',
  pause: 'M6.5 4v10M11.5 4v10',
  play: 'M5 3.5v11L14 9z',
  plug: 'M6 2v4M12 2v4M4 6h10v2.5a5 5 0 0 1-10 0zM9 13.5V16',
  reset: 'M3.5 9a5.5 5.5 0 1 1 1.8 4M3.5 15v-3.5H7',
  search: 'M8 3.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9zM11.3 11.3 15 15',
  send: 'M15 3 2.5 8l5 2.5L10 15.5z',
  status: 'M2 9.5h3l2-5 3.2 9 2-4H16',
  stop: 'M5.5 5.5h7v7h-7z',
  trash: 'M3 5h12M7 5V3h4v2M5 5l.7 10h6.6L13 5',
  warning: 'M9 2.5 1.8 15h14.4zM9 7v3.5M9 12.8v.1',
} as const

/** Name of an icon in the set. */
export type IconName = keyof typeof DRAWINGS

/** An icon next to words; hidden from assistive technology, since the words are enough. */
export function Icon({ name, size = 18 }: { name: IconName; size?: 13 | 15 | 18 | 22 }) {
  return (
    <svg className="icon" width={size} height={size} viewBox="0 0 18 18" aria-hidden="true" focusable="false">
      <path d={DRAWINGS[name]} />
    </svg>
  )
}

const GLYPHS = { buy: 'M5 1 9.5 9h-9z', sell: 'M5 9 .5 1h9z', pair: 'M5 0 10 5 5 10 0 5z' } as const

/** The filled marks of the stream's events: a triangle up, a triangle down, a diamond. */
export function EventGlyph({ name }: { name: keyof typeof GLYPHS }) {
  return (
    <svg className="glyph" width="9" height="9" viewBox="0 0 10 10" aria-hidden="true" focusable="false">
      <path d={GLYPHS[name]} />
    </svg>
  )
}
