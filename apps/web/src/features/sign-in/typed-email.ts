import { createStore } from '../../components/store.ts'

/** The email last typed into one of the forms, carried to the next one; kept in memory only. */
export const typedEmail = createStore('')
