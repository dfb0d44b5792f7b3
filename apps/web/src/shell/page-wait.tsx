import { Skeleton } from '../components/skeleton.tsx'

/** Shown while a page's code loads; nothing is drawn in the first 200 ms, unless they have already passed. */
export function PageWait({ isLate }: { isLate: boolean }) {
  return (
    <div className={isLate ? 'page skeletons-now' : 'page'} aria-busy="true">
      <Skeleton width={180} height={32} />
      <Skeleton width="100%" height={220} />
    </div>
  )
}
