/** The communities' icons, on the icons' 18-unit grid: their subjects, in our own strokes. */
const DRAWINGS = {
  Discord:
    'M5.5 4.2C7.6 3.4 10.4 3.4 12.5 4.2 14.4 6.6 15.4 9.4 15.6 12.4 14.6 13.4 13.4 14 12 14.4L11.2 12.9H6.8L6 14.4C4.6 14 3.4 13.4 2.4 12.4 2.6 9.4 3.6 6.6 5.5 4.2zM6.8 9.4v.1M11.2 9.4v.1',
  Github:
    'M5 3.2a1.9 1.9 0 1 1 0 3.8 1.9 1.9 0 0 1 0-3.8zM13 3.2a1.9 1.9 0 1 1 0 3.8 1.9 1.9 0 0 1 0-3.8zM5 11.4a1.9 1.9 0 1 1 0 3.8 1.9 1.9 0 0 1 0-3.8zM5 7v4.4M13 7v.6a3 3 0 0 1-3 3H5',
  X: 'M3.5 3.5l11 11M14.5 3.5l-11 11',
  Reddit:
    'M9 6.4c3.7 0 6.4 1.9 6.4 4.5S12.7 15.4 9 15.4s-6.4-1.9-6.4-4.5S5.3 6.4 9 6.4zM9 6.4l.8-3.2 3 .7M13.6 2.6a1.2 1.2 0 1 1 0 2.4 1.2 1.2 0 0 1 0-2.4zM6.5 10v.1M11.5 10v.1M6.6 12.5c1.5.9 3.3.9 4.8 0',
} as const

/** A community that the help page links to. */
export type Community = keyof typeof DRAWINGS

/** The icon next to a community's name; hidden from assistive technology, since the name is enough. */
export function CommunityIcon({ name }: { name: Community }) {
  return (
    <svg className="icon" width="18" height="18" viewBox="0 0 18 18" aria-hidden="true" focusable="false">
      <path d={DRAWINGS[name]} />
    </svg>
  )
}
