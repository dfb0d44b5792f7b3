import { describePromises, type ServiceUnderTest } from '@pairwire/client/promises'
import { runTests } from './vitest-in-browser.ts'

// The suite of promises in a page, and in a worker that it starts: `Vitest` is the file beside. The services run in the
// test's process and obey synchronous requests, since a suite pushes without waiting.

/** The methods of both services, and those of one. */
const VERBS = [
  ...[
    'push',
    'block',
    'gap',
    'cut',
    'disconnect',
    'restart',
    'outrun',
    'silence',
    'shut',
    'reopen',
    'forget',
  ],
  'record',
]
const OWN_VERBS = { fake: ['refuse', 'close'], gateway: ['leaveOne', 'endPlan'] }

for (const name of ['fake', 'gateway'] as const)
  describePromises(
    name,
    'document' in globalThis ? ' in a page' : ' in a worker',
    () => start(name),
    WebSocket,
  )

if ('document' in globalThis) Object.assign(globalThis, { runTests, runInWorker })
else void runTests().then((outcomes) => postMessage(outcomes))

function runInWorker(): Promise<unknown> {
  return new Promise((resolve) => {
    new Worker('/suite.js', { type: 'module' }).onmessage = ({ data }) => resolve(data)
  })
}

async function start(name: 'fake' | 'gateway'): Promise<ServiceUnderTest> {
  const { id, url, key } = ask(`start/${name}`)
  const verbs = [...VERBS, ...OWN_VERBS[name]].map((verb) => [
    verb,
    (...given: unknown[]) => ask(`${id}/${verb}`, given),
  ])
  return { url, key, ...Object.fromEntries(verbs), stop: async () => ask(`${id}/stop`) }
}

function ask(path: string, given: unknown[] = []) {
  const request = new XMLHttpRequest()
  request.open('POST', `/${path}`, false)
  request.send(JSON.stringify(given))
  return JSON.parse(request.responseText)
}
