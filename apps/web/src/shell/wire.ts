import type { ReactNode } from 'react'
import { createStore } from '../components/store.ts'

/** Whether blocks come on this page's own stream; `undefined` when none is open. */
export const wireLive = createStore<boolean | undefined>(undefined)

/** Whether any client of the user's key was connected and blocks came, as of the last request to the server. */
export const clientsLive = createStore(false)

/** What the foot of the phone's menu shows while a stream is open; null without one. */
export const menuFoot = createStore<ReactNode>(null)
