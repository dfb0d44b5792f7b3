import { useStore } from '../components/store.ts'
import { wireLive } from './wire.ts'

/** The double rule under the top bar: two hairlines, or teal over copper while a stream is open. */
export function Wire() {
  const live = useStore(wireLive)
  return <div className={live ? 'wire wire-live' : 'wire'} />
}
