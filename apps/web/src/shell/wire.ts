import type { ReactNode } from 'react'
import { createStore } from '../components/store.ts'

/** Whether blocks come on this page's own stream; `undefined` when none is open. */
export const wireLive = createStore<boolean | undefined>(undefined)

/** What the foot of the phone's menu shows while a stream is open; null without one. */
export const menuFoot = createStore<ReactNode>(null)
