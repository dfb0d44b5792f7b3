import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

/** Where `npx vite apps/web` finds the API during work on the pages. */
const DEV_API = 'http://127.0.0.1:8080'

/** What every first page needs: React, the router, and our own parts that nearly every page uses. */
const FRAME =
  /node_modules\/(react|react-dom|react-router|scheduler)\/|web\/src\/(api\/(?!use-(account|usage)|server-data|history-api|webhook-api)|locale\/|session\/(?!reload-mark)|shell\/|specified-words|components\/(announce|badge|button|copy-button|error-panel|field|icon|lazy-part|notice|page|panel|skeleton|store|table-switch)\b)|contract\/src\/(?!history|later-|methods|mints|exchanges|stream-|webhooks)|vite\/preload-helper/

/**
 * One style sheet for every page, including the server's, since many small ones weigh more and arrive late; except the
 * console's, which alone is half as large.
 */
const STYLES = /(web\/src\/(?!features\/console\/)|\/design\/).*\.css$/

/** The cache of the server's answers, with the account, which every page with the cache reads. */
const SERVER_DATA = /node_modules\/@tanstack\/|web\/src\/api\/(server-data|use-account)/

/** What the pages of history share with the console's parts about it: one file, not a dozen of a few lines. */
const HISTORY =
  /web\/src\/(api\/history-api|features\/history\/(use-history|history-window))|contract\/src\/(history-answers|later-)/

/**
 * What the console shares with its parts that are loaded later, except what only these share, alone or with the
 * palette or the webhooks: the examples, the request's text and the forms of Copy as.
 */
const CONSOLE =
  /features\/console\/(?!request\/(examples|request-text|request-hints|edit-request|copy-forms|quote-text)|rows\/pretty-json|worker\/(?!worker-messages)).*\.tsx?$/

/**
 * The built page follows `script-src 'self'; style-src 'self'`: nothing is inlined, workers are modules, and the
 * module preload polyfill, which recent browsers do not need, is left out.
 */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), preloadFirstFont()],
  // Only our own code runs there, and none of its property reads has side effects.
  worker: { format: 'es', rolldownOptions: { treeshake: { propertyReadSideEffects: false } } },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
    // Browsers that support light-dark(), which the styles use: nothing is written a second way for older ones.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    rolldownOptions: {
      output: {
        // One file for what every page needs, and one for the console, instead of a dozen requests for their parts.
        codeSplitting: {
          groups: [
            { name: 'frame', test: (id) => FRAME.test(id) || STYLES.test(id) },
            { name: 'server-data', test: SERVER_DATA },
            { name: 'history', test: HISTORY },
            { name: 'load-script', test: /load-(script|paddle)\.ts$/ },
            { name: 'console-shared', test: CONSOLE, minShareCount: 2 },
          ],
        },
      },
    },
  },
  server: { proxy: { '/api': DEV_API, '/docs': DEV_API, '/dev': DEV_API, '/status': DEV_API } },
})

/** Adds the preload of the interface font, whose name is known only after bundling. */
function preloadFirstFont(): Plugin {
  return {
    name: 'preload-first-font',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle }) {
        const font = Object.keys(bundle ?? {}).find((name) =>
          /instrument-sans-latin-wght.*\.woff2$/.test(name),
        )
        if (!font) throw new Error('The interface font is not in the bundle.')
        return [
          {
            tag: 'link',
            attrs: { rel: 'preload', as: 'font', type: 'font/woff2', href: `/${font}`, crossorigin: true },
            injectTo: 'head',
          },
        ]
      },
    },
  }
}
