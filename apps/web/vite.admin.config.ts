import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** Where `npx vite -c apps/web/vite.admin.config.ts` finds the API during work on the room. */
const DEV_API = 'http://127.0.0.1:8080'

/**
 * The operator's room, built apart from the dashboard: it shares source with it, never a file. The built page follows
 * `script-src 'self'; style-src 'self'`, as the dashboard's does.
 */
export default defineConfig({
  root: join(import.meta.dirname, 'src/admin'),
  base: '/admin/',
  plugins: [react()],
  build: {
    outDir: join(import.meta.dirname, 'dist-admin'),
    emptyOutDir: true,
    assetsInlineLimit: 0,
    // One sheet for all pages: they are made of the same few parts.
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    target: 'es2022',
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
  },
  server: { proxy: { '/api': DEV_API } },
})
