import { createStore, type Store } from '../../components/store.ts'

/** Whether the list of shortcuts is shown. */
export const areShortcutsShown: Store<boolean> = createStore(false)
