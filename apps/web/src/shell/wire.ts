import type { ReactNode } from 'react'
import { createStore } from '../components/store.ts'

/** Whether blocks come on this page's own stream; `undefined` where none is open. */
export const wireLive = createStore<boolean | undefined>(undefined)

/** Says whether they come. Whoever says so takes it back with `undefined`. */
export function setWireLive(live: boolean | undefined): void {
  wireLive.write(live)
}

/** Whether any client of the user's key was connected, and blocks came, when the server was last asked. */
export const clientsLive = createStore(false)

/** Says whether any client of the user's key is connected to a stream that flows. */
export function setClientsLive(live: boolean): void {
  clientsLive.write(live)
}

/** What stands at the foot of the phone's menu while a stream is open. */
export const menuFoot = createStore<ReactNode>(null)

/** Puts a picture of the stream at the foot of the phone's menu; `null` takes it away. */
export function setMenuFoot(foot: ReactNode): void {
  menuFoot.write(foot)
}
