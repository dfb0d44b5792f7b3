import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'

/** Flags that keep a Chromium from background work. */
export const QUIET_FLAGS = [
  '--no-sandbox',
  '--disable-dev-shm-usage',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Launches the Chromium of CHROME_PATH, or the installed one. */
export function openBrowser(flags = []) {
  const known = [process.env.CHROME_PATH, '/usr/bin/chromium', '/usr/bin/chromium-headless-shell']
  const executablePath = known.find((path) => path && existsSync(path))
  if (!executablePath) throw new Error('No Chromium found. Set CHROME_PATH.')
  return chromium.launch({ executablePath, args: [...QUIET_FLAGS, ...flags] })
}
