import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

/** Where `npx vite apps/web` finds the API while one works on the pages. */
const DEV_API = 'http://127.0.0.1:8080'

/** What the first page needs whichever it is: React, the router, and our own parts that nearly every page uses. */
const FRAME =
  /node_modules\/(react|react-dom|react-router|scheduler)\/|web\/src\/(api\/(?!use-(account|usage)|server-data|history-api)|locale\/|session\/(?!reload-mark)|shell\/|specified-words|components\/(announce|badge|button|copy-button|error-panel|field|icon|lazy-part|notice|page|panel|skeleton|store|table-switch)\b)|contract\/src\/(?!history|later-|methods|mints|exchanges|stream-)|vite\/preload-helper/

/**
 * One sheet for every page, those of the server too, since many small ones weigh more and come late; but not for the
 * console, whose own is half as large.
 */
const STYLES = /(web\/src\/(?!features\/console\/)|\/design\/).*\.css$/

/** The cache of what the server told, with the account, which every page that has the cache asks for. */
const SERVER_DATA = /node_modules\/@tanstack\/|web\/src\/api\/(server-data|use-account)/

/** What the pages of history share with the console's parts about it: one file, not a dozen of a few lines. */
const HISTORY =
  /web\/src\/(api\/history-api|features\/history\/(use-history|history-window))|contract\/src\/(history-answers|later-)/

/**
 * What the console shares with its parts that come later, without what only these share, or the palette with them: the
 * examples, the request's text and the forms of Copy as.
 */
const CONSOLE =
  /features\/console\/(?!request\/(examples|request-text|edit-request|copy-forms|quote-text)|worker\/(?!worker-messages)).*\.tsx?$/

/**
 * The built page obeys `script-src 'self'; style-src 'self'`: nothing is inlined, workers are modules, and the
 * module preload polyfill, which browsers of the last years do not need, stays out.
 */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), preloadFirstFont()],
  // Only our own code runs there, and none of its property reads does anything.
  worker: { format: 'es', rolldownOptions: { treeshake: { propertyReadSideEffects: false } } },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
    // Browsers that know light-dark(), which the styles are written with: nothing is written a second way for older ones.
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

/** Adds the preload of the interface's face, whose name is known only once the bundle is made. */
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
