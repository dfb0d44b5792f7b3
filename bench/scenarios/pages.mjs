import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { QUIET_FLAGS } from '../harness/browser.mjs'
import { measureTimes, timesSection } from '../harness/page-times.mjs'
import { startService, temporaryFolder } from '../harness/processes.mjs'
import { machine } from '../harness/results.mjs'

export const title = 'Pages'
export const about =
  'The built pages of a separate service: scores by Lighthouse, mobile and throttled, and the design’s time budgets on its phone profile. Lighthouse is fetched by npx and is not a dependency. CHROME_PATH names a Chromium.'

const LIGHTHOUSE = 'lighthouse@12.8.2'

/** A run on a busy machine may lose its trace. */
const ATTEMPTS = 3

/** The least score of each category. */
const BOUNDS = { performance: 95, accessibility: 100, 'best-practices': 100, seo: 100 }

export async function* run() {
  const service = await startService()
  yield scorePages(service.url)
  const times = await measureTimes(service)
  await service.stop()
  const violations = times.flatMap(({ path, missed }) =>
    missed.map((figure) => `${path} is out of its ${figure}.`),
  )
  yield { name: 'times', text: timesSection(times), violations }
}

function scorePages(address) {
  const folder = temporaryFolder()
  const rows = []
  const missed = []
  for (const path of ['/dashboard/login', '/dashboard/register', '/dashboard/help', '/docs']) {
    const report = measure(address + path, folder)
    const scores = Object.entries(BOUNDS).map(([category, bound]) => {
      const score = Math.round(report.categories[category].score * 100)
      if (score < bound) missed.push(`${path} ${category} ${score}`)
      return score
    })
    const shown = [
      'first-contentful-paint',
      'largest-contentful-paint',
      'total-blocking-time',
      'cumulative-layout-shift',
    ]
    rows.push([path, ...scores, ...shown.map((audit) => report.audits[audit].displayValue)])
    console.log(rows.at(-1).join(' | '))
  }
  const text = `## ${title}

Lighthouse 12.8.2 with its own mobile profile (simulated slow 4G, 4x slower processor) on the production build, signed out, one run each. Bounds: performance 95, the others 100.
${machine()}

| page | performance | accessibility | best practices | SEO | first paint | largest paint | blocking time | layout shift |
|---|---|---|---|---|---|---|---|---|
${rows.map((row) => `| ${row.join(' | ')} |`).join('\n')}

${missed.length > 0 ? `Under its bound in this run: ${missed.join(', ')}.` : 'All within their bounds.'} What other work the machine has counts as blocking time here.

What this does not show: pages behind sign-in, a real phone, a real network.`
  return { text, violations: missed }
}

/** @throws Error if no attempt gives a report with every score */
function measure(url, folder) {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const file = join(folder, 'report.json')
    const words = ['--yes', LIGHTHOUSE, url, '--quiet', '--output=json', `--output-path=${file}`]
    spawnSync('npx', [...words, `--chrome-flags=--headless ${QUIET_FLAGS.join(' ')}`], {
      stdio: ['ignore', 'ignore', 'inherit'],
      timeout: 120_000,
    })
    const report = JSON.parse(readFileSync(file, 'utf8'))
    if (Object.keys(BOUNDS).every((category) => report.categories[category]?.score != null)) return report
  }
  throw new Error(`Lighthouse gave no scores for ${url}.`)
}
