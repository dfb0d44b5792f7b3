// `npm test`: everything that CI runs. Prepares the clone, runs the unit and integration tests beside the checks of types, lint,
// floors and sizes, then the tests of the browser. The last line counts them all.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { constants, setPriority, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { isRunning, prepare, root } from './prepare.mjs'

/** Linux's folder in memory, and the free space that it must have. */
const MEMORY = '/dev/shm'
const ROOM_BYTES = 2_000_000_000

/** Lines of a failure's output that are repeated at the end of the run. */
const LINES_OF_FAILURE = 20

const counts = { passed: 0, failed: 0, skipped: 0 }
/** Failures, repeated at the end for a reader of the last lines. */
const failures = []
process.stdout.on('error', () => {})

await prepare()
const chromium = findChromium()
const environment = {
  ...process.env,
  CHROME_PATH: chromium ?? '',
  TMPDIR: makeTemporaryFolder(),
}
if (!chromium) {
  console.log(
    'No Chromium found: browser tests are skipped. Install one (Debian: apt-get install chromium-headless-shell) or set CHROME_PATH.',
  )
}

if (!environment.CI) console.log('Random tests make fewer runs than in CI; CI=true makes all of them.')
const chosen = process.argv.slice(2)
// These compute while unit tests wait: a tenth of two cores is idle then.
const checks = [
  ...['typecheck', 'lint', 'unused'].map((name) => check(name, 'npm', ['run', '--silent', name])),
  check('size budgets', process.execPath, [join(root, 'scripts/check-sizes.mjs')]),
]
await vitest('unit', chosen)
// Not in parallel with the unit tests: on two cores that saves a minute, but tests that wait for a time are too often late.
if (chosen.length === 0) await vitest('end to end', ['--config', 'e2e/vitest.config.ts'])
await Promise.all(checks)

for (const { name, text } of failures) console.log(`\nFAILED: ${name}\n${firstLines(text)}`)
console.log(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`)
process.exitCode = counts.failed > 0 ? 1 : 0

/** One command that counts as one test. */
async function check(name, command, args) {
  const started = Date.now()
  const more = { GOGC: '400' } // the compiler collects garbage less often, and takes a fifth less
  const { status, output } = await run(command, args, { more, priority: constants.priority.PRIORITY_LOW })
  counts[status === 0 ? 'passed' : 'failed']++
  console.log(
    `${status === 0 ? 'passed' : 'FAILED'}: ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)`,
  )
  if (status === 0) return
  console.log(output)
  failures.push({ name, text: output })
}

/** One run of Vitest, counted test by test from its own report; skipped tests are listed by name. */
async function vitest(name, args) {
  mkdirSync(join(root, '.build'), { recursive: true })
  const report = join(root, '.build', `${name.replaceAll(' ', '-')}.json`)
  const secondRuns = `${report}.second-runs`
  for (const file of [report, secondRuns]) rmSync(file, { force: true })
  const { status, output } = await run(
    process.execPath,
    [
      join(root, 'node_modules/vitest/vitest.mjs'),
      'run',
      ...args,
      '--reporter=default',
      '--reporter=json',
      `--reporter=${join(root, 'scripts/second-runs.mjs')}`,
      `--outputFile.json=${report}`,
      ...(process.stdout.isTTY ? ['--color'] : []),
    ],
    { more: { SECOND_RUNS: secondRuns }, tell: (line) => console.log(`${name}: ${line}`) },
  )
  if (existsSync(secondRuns)) {
    for (const line of readFileSync(secondRuns, 'utf8').trim().split('\n')) {
      const { name, errors } = JSON.parse(line)
      const texts = errors.map(({ message, stacks }) => `${firstLines(message, 1)} ${stacks?.[0]?.line}`)
      console.log(`passed only on its second run: ${name} (${texts.join('; ')})`)
    }
  }
  if (!existsSync(report)) {
    fail(name, `It ended with status ${status} and no report.`)
    return
  }
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults } = JSON.parse(
    readFileSync(report, 'utf8'),
  )
  counts.passed += numPassedTests
  counts.failed += numFailedTests
  counts.skipped += numPendingTests + numTodoTests
  for (const file of testResults) {
    for (const test of file.assertionResults) {
      if (test.status === 'failed') {
        failures.push({
          name: `${relative(root, file.name)}: ${test.fullName}`,
          text: test.failureMessages.join('\n'),
        })
      } else if (test.status !== 'passed') console.log(`skipped: ${test.fullName}`)
    }
  }
  // A hook or a file that could not be loaded has no test to count, yet it failed.
  const at = output.indexOf('Failed Suites')
  if (at >= 0 || (status !== 0 && numFailedTests === 0)) {
    fail(name, at >= 0 ? output.slice(at) : `It ended with status ${status}; see the reason above.`)
  }
}

function fail(name, text) {
  counts.failed++
  failures.push({ name, text })
}

function firstLines(text, most = LINES_OF_FAILURE) {
  return text.trimEnd().split('\n').slice(0, most).join('\n')
}

/** Runs a program to its end, and reports each line of its output as it comes. */
function run(command, args, { more = {}, tell = () => {}, priority } = {}) {
  return new Promise((resolve) => {
    let text = ''
    const child = spawn(command, args, {
      cwd: root,
      env: { ...environment, ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32',
    })
    if (priority && child.pid) setPriority(child.pid, priority)
    for (const output of [child.stdout, child.stderr]) {
      createInterface({ input: output }).on('line', (line) => {
        text += `${line}\n`
        tell(line)
      })
    }
    child.once('error', (error) => resolve({ status: 1, output: error.message }))
    child.once('close', (status) => resolve({ status: status ?? 1, output: text }))
  })
}

/**
 * The folder for everything that the run leaves behind, removed at its end. In memory if there is room: the tests copy a
 * database of 45 MB by the dozen.
 */
function makeTemporaryFolder() {
  const { bavail = 0, bsize = 0 } = existsSync(MEMORY) ? statfsSync(MEMORY) : {}
  const parent = bavail * bsize > ROOM_BYTES ? MEMORY : tmpdir()
  const own = /^pairwire-test-run-(\d+)$/
  for (const name of readdirSync(parent)) {
    // Left by a killed run.
    const pid = own.exec(name)?.[1]
    if (pid && !isRunning(Number(pid))) rmSync(join(parent, name), { recursive: true, force: true })
  }
  const folder = join(parent, `pairwire-test-run-${process.pid}`)
  // Others may enter: a PostgreSQL that a test starts is another user.
  mkdirSync(folder, { recursive: true, mode: 0o755 })
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }))
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1))
  return folder
}

/** Path of a Chromium: CHROME_PATH, else the first known name on the PATH; the headless one costs a third. */
function findChromium() {
  if (process.env.CHROME_PATH) return process.env.CHROME_PATH
  const names = [
    'chromium-headless-shell',
    'chromium',
    'chromium-browser',
    'google-chrome',
    'google-chrome-stable',
    'chrome',
  ]
  for (const folder of (process.env.PATH ?? '').split(process.platform === 'win32' ? ';' : ':')) {
    for (const name of names) {
      const file = join(folder, process.platform === 'win32' ? `${name}.exe` : name)
      if (existsSync(file)) return file
    }
  }
  const mac = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'
  return existsSync(mac) ? mac : undefined
}
