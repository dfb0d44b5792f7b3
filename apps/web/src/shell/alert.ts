import { createStore } from '../components/store.ts'

/** The single success message of the page; `undefined` when there is none. */
export const alertMessage = createStore<string | undefined>(undefined)

/** Shows `message` in the success banner, which reads it out; it replaces the one before. */
export function setAlert(message: string): void {
  alertMessage.write(message)
}
