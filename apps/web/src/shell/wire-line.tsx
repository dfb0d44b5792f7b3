import { useStore } from '../components/store.ts'
import { clientsLive, wireLive } from './wire.ts'

/** The double rule under the top bar: two hairlines, or teal over copper while a client of the user's key is connected. */
export function Wire() {
  const streams = useStore(wireLive)
  const clients = useStore(clientsLive)
  const live = streams || clients
  return <div className={live ? 'wire wire-live' : 'wire'} />
}
