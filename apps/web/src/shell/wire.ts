import type { ReactNode } from 'react'
import { createStore } from '../components/store.ts'

/** Whether this page's own stream is open: the wire under the top bar shows its two strands. */
export const wireLive = createStore(false)

/** Says whether a stream is open. Whoever switches it on switches it off again. */
export function setWireLive(live: boolean): void {
  wireLive.write(live)
}

/** Whether any client of the user's key was connected when the server was last asked. */
export const clientsLive = createStore(false)

/** Says whether any client of the user's key is connected. */
export function setClientsLive(live: boolean): void {
  clientsLive.write(live)
}

/** What stands at the foot of the phone's menu while a stream is open. */
export const menuFoot = createStore<ReactNode>(null)

/** Puts a picture of the stream at the foot of the phone's menu; `null` takes it away. */
export function setMenuFoot(foot: ReactNode): void {
  menuFoot.write(foot)
}
