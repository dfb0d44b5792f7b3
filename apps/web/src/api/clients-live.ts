import { createStore } from '../components/store.ts'

/** Whether any client of the user's key was connected and blocks came, as of the last request to the server. */
export const clientsLive = createStore(false)
