import { useEffect, useState } from 'react'
import { cleanName } from './clean-name.ts'
import { logoPath } from './logo-paths.ts'

type TokenAvatarProps = {
  name: string
  mint: string
  /** Where its picture lies; it is loaded through our own proxy alone. */
  logo?: string
}

/** First letter of a token on a ground whose hue comes from its mint, and its logo over it once that is there. */
export function TokenAvatar({ name, mint, logo }: TokenAvatarProps) {
  const letter = [...cleanName(name || mint)][0] ?? '?'
  return (
    <span className="token-avatar" style={{ '--hue': hueOf(mint) }} aria-hidden="true">
      {letter.toUpperCase()}
      {logo ? <Logo key={logo} url={logo} /> : null}
    </span>
  )
}

/** Milliseconds that a logo may take, and those after which it is tried again. */
const LOGO_MS = 5_000
const AGAIN_MS = 5_000

/** Paths of pictures that have been loaded: the next row with one shows it at once, however soon another follows. */
const seen = new Map<string, string>()
const MOST_SEEN = 500

function Logo({ url }: { url: string }) {
  const [path, setPath] = useState(seen.get(url))
  const [isThere, setThere] = useState(path !== undefined)

  useEffect(() => void logoPath(url).then(setPath), [url])
  useEffect(() => {
    if (isThere) return
    const timer =
      path === undefined
        ? setInterval(() => void logoPath(url).then(setPath), AGAIN_MS)
        : setTimeout(() => setPath(undefined), LOGO_MS)
    return () => clearTimeout(timer)
  }, [url, path, isThere])

  if (path === undefined) return null
  return (
    <img
      className={isThere ? 'token-logo' : 'token-logo token-logo-coming'}
      src={path}
      alt=""
      width="20"
      height="20"
      decoding={isThere ? 'sync' : 'async'}
      referrerPolicy="no-referrer"
      onLoad={() => {
        if (seen.size > MOST_SEEN) seen.clear()
        seen.set(url, path)
        setThere(true)
      }}
      onError={() => {
        seen.delete(url)
        setThere(false)
        setPath(undefined)
      }}
    />
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
