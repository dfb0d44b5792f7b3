import { useEffect, useState } from 'react'
import { cleanName } from '../feed/clean-name.ts'
import { logoPath } from './logo-paths.ts'

type TokenAvatarProps = {
  name: string
  mint: string
  /** Address of its picture, loaded only through our own proxy. */
  logo?: string
}

/** The first letter of a token on a background coloured by its mint, with its logo over it once loaded. */
export function TokenAvatar({ name, mint, logo }: TokenAvatarProps) {
  const letter = [...(cleanName(name) || mint)][0] ?? '?'
  return (
    <span className="token-avatar" style={{ '--hue': hueOf(mint) }} aria-hidden="true">
      {letter.toUpperCase()}
      {logo ? <Logo key={logo} url={logo} /> : null}
    </span>
  )
}

/** Milliseconds that a logo may take to load, and before it is retried. */
const LOGO_MS = 5_000
const AGAIN_MS = 5_000

/** Paths of loaded pictures: later rows show them at once. */
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
    /** Hue of a token's avatar in degrees. */
    '--hue'?: number
  }
}
