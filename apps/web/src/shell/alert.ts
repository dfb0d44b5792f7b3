import { createStore } from '../components/store.ts'

/** The single success message of the page; `undefined` when there is none. */
export const alertMessage = createStore<string | undefined>(undefined)

/** Shows `message` in the success banner, where it is read out; it replaces the previous one. */
export function setAlert(message: string): void {
  alertMessage.write(message)
}
