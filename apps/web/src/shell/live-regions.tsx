import { useEffect, useState } from 'react'
import { type Announcement, announcements } from '../components/announce.ts'
import { type Store, useStore } from '../components/store.ts'

/** Milliseconds after which an announcement is removed, for those who read the page line by line. */
const STAYS_MS = 5_000

/** Words for assistive technology only. Must be inside a live region that is mounted once and never remade. */
export function Announced({ by }: { by: keyof typeof announcements }) {
  const { text, number } = useFresh(announcements[by])
  // A new element for each, so that a repeated message is read out twice.
  return (
    <p className="unseen" key={number}>
      {text}
    </p>
  )
}

/** The invisible live regions: failures that are shown nowhere else, and the console's states. */
export function LiveRegions() {
  return (
    <>
      <div role="alert">
        <Announced by="alert" />
      </div>
      <div role="status">
        <Announced by="console" />
      </div>
    </>
  )
}

function useFresh(store: Store<Announcement>): Announcement {
  const announcement = useStore(store)
  const [stale, setStale] = useState(0)
  useEffect(() => {
    const timer = setTimeout(() => setStale(announcement.number), STAYS_MS)
    return () => clearTimeout(timer)
  }, [announcement])
  return stale === announcement.number ? { ...announcement, text: '' } : announcement
}
