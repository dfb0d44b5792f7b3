import { isServerThere, onNoAnswer } from '../api/http-client.ts'
import { createStore } from '../components/store.ts'

/** Milliseconds between two checks for a server that is away. */
const LOOK_EVERY_MS = 5_000

/** Whether the server was unreachable at the last check. */
export const serverAway = createStore(false)

/** Checks for the server after a failed call or network change, until it answers. @returns what stops it */
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
