import { isServerThere, onNoAnswer } from '../api/http-client.ts'
import { createStore } from '../components/store.ts'

/** Milliseconds between two looks for a server that is away. */
const LOOK_EVERY_MS = 5_000

/** Whether the server could not be reached when it was last looked for. */
export const serverAway = createStore(false)

/** Looks for the server when a call brings no answer or the network changes, until it is there. @returns what ends it */
export function watchServer(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const look = async () => {
    clearTimeout(timer)
    const isAway = !(await isServerThere())
    serverAway.write(isAway)
    if (isAway) timer = setTimeout(look, LOOK_EVERY_MS)
  }
  onNoAnswer(look)
  for (const change of ['online', 'offline']) window.addEventListener(change, look)
  return () => {
    clearTimeout(timer)
    for (const change of ['online', 'offline']) window.removeEventListener(change, look)
  }
}
