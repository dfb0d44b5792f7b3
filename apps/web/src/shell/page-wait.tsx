import { Skeleton } from '../components/skeleton.tsx'

/** Stands in while a page's code comes; nothing is drawn in the first 200 ms, unless they have passed already. */
export function PageWait({ isLate }: { isLate: boolean }) {
  return (
    <div className={isLate ? 'page skeletons-now' : 'page'} aria-busy="true">
      <Skeleton width={180} height={32} />
      <Skeleton width="100%" height={220} />
    </div>
  )
}
