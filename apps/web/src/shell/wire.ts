import type { ReactNode } from 'react'
import { createStore } from '../components/store.ts'

/** Whether blocks come on this page's own stream; `undefined` where none is open. */
export const wireLive = createStore<boolean | undefined>(undefined)

/** Whether any client of the user's key was connected, and blocks came, when the server was last asked. */
export const clientsLive = createStore(false)

/** What stands at the foot of the phone's menu while a stream is open; null without one. */
export const menuFoot = createStore<ReactNode>(null)
