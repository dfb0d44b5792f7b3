// Every process that a scenario starts. None outlives the harness: a forked one ends when its channel to the harness closes,
// the service when its parent is gone, and stopping the harness or closing its output ends it.
import { execFileSync, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { constants, setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { listen } from './listen.mjs'
import { libraryOf, pathOf } from './product.mjs'

const WebSocket = libraryOf('apps/gateway', 'ws')

/** The flags with which `npm start` starts the service. */
export const SERVICE_FLAGS = ['--max-semi-space-size=4', '--v8-pool-size=1', '--heap-growing-percent=40']

const children = new Set()
const folders = []
for (const output of [process.stdout, process.stderr]) output.on('error', () => process.exit(1))
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1))
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL')
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** A folder that is removed when the harness ends. */
export function temporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'pairwire-bench-'))
  folders.push(folder)
  return folder
}

/**
 * Starts a file of `processes/` with its arguments. `isElsewhere` says that it represents another machine, which would not
 * use the service's cores: it has the lowest priority.
 *
 * @returns its ready message, and `ask`, which calls one of its verbs
 */
export async function start(script, args = {}, { execArgv = [], execPath, isElsewhere, checkout = '' } = {}) {
  const child = fork(pathOf(`bench/processes/${script}.mjs`), [JSON.stringify(args)], {
    execArgv,
    ...(execPath && { execPath }),
    env: { ...process.env, BENCH_CHECKOUT: checkout },
  })
  keep(child, script)
  if (isElsewhere) setPriority(child.pid, constants.priority.PRIORITY_LOW)
  const waiting = new Map()
  let asked = 0
  const answerTo = (id) => new Promise((resolve) => waiting.set(id, resolve))
  child.on('message', ({ id, answer }) => {
    waiting.get(id)?.(answer)
    waiting.delete(id)
  })
  const ready = await answerTo(0)
  return {
    pid: child.pid,
    ready,
    ask(verb, params) {
      const answer = answerTo(++asked)
      child.send({ id: asked, verb, params })
      return answer
    },
    stop: () => stop(child, 'SIGKILL'),
  }
}

/** Starts the same and returns its ready message; it has ended by then. */
export async function runAlone(script, args, options) {
  const child = await start(script, args, options)
  await child.stop()
  return child.ready
}

/** A client of `readers` that subscribes to swaps. */
export function subscriber(port, params) {
  return {
    port,
    texts: [JSON.stringify({ id: 1, method: 'swapSubscribe', params })],
    answer: '"id":1,"result"',
  }
}

/** A websocket for all swaps of a service. `note` takes each with when the service had it from the chain, in Unix milliseconds. */
export function openTimed(url, key, note) {
  const socket = new WebSocket(url.replace('http', 'ws'), { headers: { 'X-API-KEY': key } })
  socket.on('open', () => socket.send('{"id":1,"method":"swapSubscribe","params":{"timestamps":true}}'))
  socket.on('message', (data) => {
    const [, receivedAt] = /"receivedAt":(\d+)/.exec(String(data)) ?? []
    if (receivedAt) note(Number(receivedAt), data)
  })
  return socket
}

/** The whole service of a checkout as `npm start` runs it. `environment` adds to its settings. */
export async function startService({ SOLANA_SOURCE = 'simulator?history=0', ...environment } = {}, checkout) {
  const dataFolder = environment.DATA_DIR ?? temporaryFolder()
  const port = environment.PORT ?? String(await freePort())
  const child = spawn(process.execPath, [...SERVICE_FLAGS, pathOf('scripts/start.mjs', checkout)], {
    cwd: pathOf('.', checkout),
    // As under npm, it ends when its parent does.
    env: {
      ...process.env,
      npm_lifecycle_event: 'bench',
      DATA_DIR: dataFolder,
      PORT: port,
      SOLANA_SOURCE,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  keep(child, 'service')
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith('Pairwire is ready')) break
  }
  child.stdout.resume()
  return {
    ...{ url: `http://localhost:${port}`, pid: child.pid, dataFolder },
    ...{ stop: () => stop(child, 'SIGTERM'), kill: () => stop(child, 'SIGKILL') },
  }
}

/** Creates an account on Pro for each of these addresses of a service. Returns their keys. */
export function createAccounts(dataFolder, emails, checkout) {
  const made = operate(dataFolder, ['account', 'create', ...emails, '--plan', 'pro'], checkout)
  return made.map(({ user }) => user.APIKey)
}

/** The parsed output of a verb of the operator's tool. */
export function operate(dataFolder, words, checkout) {
  const stdout = execFileSync(process.execPath, [pathOf('bin/pairwire.js', checkout), ...words], {
    env: { ...process.env, DATA_DIR: dataFolder },
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = stdout.trim().split('\n')
  return lines.map((line) => JSON.parse(line))
}

/** Processor time of a process so far, over all its threads, which Linux counts in hundredths of a second. */
export function processorMs(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

async function freePort() {
  const server = createServer()
  const port = await listen(server)
  server.close()
  return port
}

/** A caller that waits for the answer of an ended process would wait for ever. */
function keep(child, name) {
  children.add(child)
  child.once('exit', (code, signal) => {
    if (!children.delete(child)) return
    console.error(`${name} ended by itself: ${signal ?? code}.`)
    process.exit(1)
  })
}

async function stop(child, signal) {
  if (!children.delete(child)) return
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
}
