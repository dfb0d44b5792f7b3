import { cleanName } from './clean-name.ts'

/** First letter of a token on a ground whose hue comes from its mint. */
export function TokenAvatar({ name, mint }: { name: string; mint: string }) {
  const letter = [...cleanName(name || mint)][0] ?? '?'
  return (
    <span className="token-avatar" style={{ '--hue': hueOf(mint) }} aria-hidden="true">
      {letter.toUpperCase()}
    </span>
  )
}

function hueOf(mint: string): number {
  let hash = 0
  for (let index = 0; index < mint.length; index++) hash = (hash * 31 + mint.charCodeAt(index)) | 0
  return Math.abs(hash) % 360
}

declare module 'react' {
  interface CSSProperties {
    /** Degrees of a token's avatar. */
    '--hue'?: number
  }
}
