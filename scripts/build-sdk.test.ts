import { spawnSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { SDK_ERROR_TYPES } from '@pairwire/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
// @ts-expect-error the build is plain JavaScript, since it runs on any clone
import { buildSdk } from './build-sdk.mjs'
import { describeExamples } from './sdk-examples.suite.ts'

const modules = fileURLToPath(new URL('../node_modules', import.meta.url))

describe('the SDK as people install it', () => {
  let folder: string
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sdk-'))
    await buildSdk(folder)
    mkdirSync(join(folder, 'program/node_modules/@pairwire'), { recursive: true })
    cpSync(join(folder, 'package'), join(folder, 'program/node_modules/@pairwire/client'), {
      recursive: true,
    })
    symlinkSync(join(modules, 'ws'), join(folder, 'program/node_modules/ws'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  const served = (name: string) => readFileSync(join(folder, 'sdk', name))
  const program = (name: string, text: string) => {
    const file = join(folder, 'program', name)
    writeFileSync(file, text)
    return file
  }
  /** The first program of the README. */
  const readme = () =>
    /```js\n([\s\S]*?)```/.exec(readFileSync(join(folder, 'package/README.md'), 'utf8'))![1]!

  it('stays below 80 kB, and its file for pages below 9 KiB', () => {
    expect(served('pairwire-client.tgz').length).toBeLessThan(80_000)
    expect(gzipSync(served('pairwire.js'), { level: 9 }).length).toBeLessThan(9 * 1024)
  })

  it('needs nothing but itself, and ws only if a program has it', () => {
    const manifest = JSON.parse(readFileSync(join(folder, 'package/package.json'), 'utf8'))

    expect(manifest.dependencies).toBeUndefined()
    expect(manifest.peerDependenciesMeta).toEqual({ ws: { optional: true } })
    expect(served('pairwire.js').toString()).not.toMatch(/\bimport\b/)
  })

  it('passes npm publish --dry-run, which corrects nothing', () => {
    const { name, version } = JSON.parse(readFileSync(join(folder, 'package/package.json'), 'utf8'))
    const nowhere = ['--registry', 'http://127.0.0.1:9', '--fetch-retries', '0']
    const publish = ['publish', '--dry-run', ...nowhere, join(folder, 'sdk/pairwire-client.tgz')]

    const { stdout, stderr } = spawnSync('npm', publish, { cwd: folder, encoding: 'utf8' })

    expect(stdout).toBe(`+ ${name}@${version}\n`)
    expect(stderr.split('\n').filter((line) => line.startsWith('npm warn'))).toEqual([
      expect.stringContaining('logged in'),
    ])
  })

  /** Compiles a program with checked libraries. @returns what the compiler says */
  const compile = (file: string, lib: string, ...args: string[]) => {
    const options = ['--ignoreConfig', '--strict', '--exactOptionalPropertyTypes', '--noEmit']
    const line = [join(modules, 'typescript/bin/tsc'), ...options, '--target', lib, '--lib', `${lib},dom`]
    const { stdout } = spawnSync(process.execPath, [...line, ...args, file], {
      cwd: join(folder, 'program'),
      encoding: 'utf8',
    })
    return stdout
  }

  it.each(['nodenext', 'bundler'])(
    'has types with which the program of the README compiles under %s',
    (resolution) => {
      const file = program(
        `whales-${resolution}.mts`,
        `${readme()}\nconst slot: number | undefined = (await whales.items().next()).value?.type === 'gap' ? undefined : 1\nexport { slot }\n`,
      )
      const module = resolution === 'bundler' ? 'esnext' : 'nodenext'
      const node = ['--types', 'node', '--typeRoots', join(modules, '@types')]

      const told = compile(file, 'es2023', '--module', module, '--moduleResolution', resolution, ...node)

      expect(told).toBe('')
    },
  )

  it('has types that need neither those of Node nor a newer library than ES2022, as in a page', () => {
    const text = readme().replace('process.env.PAIRWIRE_KEY', "'key'")
    const file = program('page.ts', `${text}\nawait pairwire[Symbol.asyncDispose]()\n`)

    const told = compile(file, 'es2022', '--module', 'esnext', '--moduleResolution', 'bundler')

    expect(told).toBe('')
  })

  const python = ['python3', '/usr/bin/python3'].find(
    (name) => spawnSync(name, ['-c', 'import build, hatchling']).status === 0,
  )
  it.skipIf(!python && !process.env.CI)(
    'is a wheel and a source package in Python, of the same version',
    () => {
      const output = join(folder, 'python')
      const source = fileURLToPath(new URL('../clients/python', import.meta.url))
      // Debian's hatchling lacks the library that installs sources in place.
      const options = ['--no-isolation', '--skip-dependency-check', '--outdir', output]

      const { stderr } = spawnSync(python!, ['-m', 'build', ...options, source], { encoding: 'utf8' })

      const { version } = JSON.parse(readFileSync(join(folder, 'package/package.json'), 'utf8'))
      const names = [`pairwire-${version}-py3-none-any.whl`, `pairwire-${version}.tar.gz`]
      expect(readdirSync(output).sort(), stderr).toEqual(names)
    },
  )

  it('says in one sentence what to install where there is no WebSocket, as on Node 20 without ws', () => {
    const file = join(folder, 'bare.mjs')
    writeFileSync(
      file,
      `import { createPairwire } from './package/index-node.js'
delete globalThis.WebSocket
try {
  for await (const swap of createPairwire({ url: 'ws://127.0.0.1:9', key: 'k' }).swaps()) console.log(swap)
} catch ({ name, errorType, message }) {
  console.log(name, errorType, message)
}
`,
    )

    const { stdout, stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8', timeout: 20_000 })

    expect(stderr).toBe('')
    expect(stdout).toBe(`ConnectionError NO_WEBSOCKET ${SDK_ERROR_TYPES.NO_WEBSOCKET}\n`)
  })

  it('runs the program of the README, on a fake server', () => {
    const text = `import { aSwap, createFakeServer } from '@pairwire/client/testing'
const server = await createFakeServer()
const pushing = setInterval(() => server.push(aSwap({ usdValue: 12_345 })), 20)
${readme()
  .replace(/url: '[^']+', key: [^ ]+/, 'url: server.url, key: server.key')
  .replace(/console\.log\((.*)\)$/m, '{ console.log($1); break }')}
clearInterval(pushing)
await pairwire.close()
await server.stop()
`
    const file = program('whales.mjs', text)

    const { stdout, stderr, status } = spawnSync(process.execPath, [file], {
      cwd: join(folder, 'program'),
      encoding: 'utf8',
      timeout: 20_000,
    })

    expect(stderr).toBe('')
    expect(stdout).toMatch(/^buy 12345 fakeSwap\d+\n$/)
    expect(status).toBe(0)
  })

  describeExamples(() => join(folder, 'program'))
})
