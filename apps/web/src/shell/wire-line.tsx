import { clientsLive } from '../api/clients-live.ts'
import { useStore } from '../components/store.ts'
import { wireLive } from './wire.ts'

/**
 * The double rule under the top bar: teal over copper while blocks come to this page, or to any client of the user's
 * key when the page has no stream of its own; otherwise two hairlines.
 */
export function Wire() {
  const clients = useStore(clientsLive)
  const live = useStore(wireLive) ?? clients
  return <div className={live ? 'wire wire-live' : 'wire'} />
}
