export { fileCursors } from './file-cursors.ts'
