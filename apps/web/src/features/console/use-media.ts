import { useEffect, useState } from 'react'

/** Whether a media query matches now. Evaluated once and then listened to, since that computes the page's styles. */
export function useMedia(query: string): boolean {
  const [holds, setHolds] = useState(() => matchMedia(query).matches)
  useEffect(() => {
    const media = matchMedia(query)
    const read = () => setHolds(media.matches)
    read()
    media.addEventListener('change', read)
    return () => media.removeEventListener('change', read)
  }, [query])
  return holds
}
