import { announcements } from '../components/announce.ts'
import { type Store, useStore } from '../components/store.ts'

/** The page's only live regions, mounted once and never made again. */
export function LiveRegions() {
  return (
    <div className="unseen">
      <div role="status">
        <Text of={announcements.status} />
      </div>
      <div role="alert">
        <Text of={announcements.alert} />
      </div>
      <div role="status">
        <Text of={announcements.console} />
      </div>
    </div>
  )
}

/** A new element for each announcement, so that the same words are heard twice when they are said twice. */
function Text({ of }: { of: Store<Readonly<{ text: string; number: number }>> }) {
  const { text, number } = useStore(of)
  return <p key={number}>{text}</p>
}
