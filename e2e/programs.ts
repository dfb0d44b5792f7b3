import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { root } from './service.ts'

/** Where Debian keeps the packages of Go, and the one that the programs use (golang-github-gorilla-websocket-dev). */
const GO_PATH = '/usr/share/gocode'
const GO_WEBSOCKET = 'src/github.com/gorilla/websocket'

/** The command that runs a program, by file ending; undefined if it, or the package that programs need, is missing. */
const RUNNERS: Readonly<Record<string, readonly [string, ...string[]] | undefined>> = {
  mjs: [process.execPath],
  py: findPython(),
  sh: ['sh'],
  go: findGo(),
}

/** Whether programs in Python can run here: a python3 with the package `websockets` (Debian: python3-websockets). */
export const hasPython = RUNNERS.py !== undefined

/** Whether programs in Go can be compiled here. */
export const hasGo = RUNNERS.go !== undefined

/** Milliseconds in which a program must print the expected line. */
const PATIENCE_MS = 40_000

/** Texts of the code blocks of a page, as a reader would copy them, by their attributes. */
export function readPrograms(page: string, pattern: RegExp): Map<string, string> {
  return new Map(
    [...page.matchAll(pattern)].map((match) => [
      match.slice(1, -1).join('/'),
      `${unescaped(match.at(-1)!.replace(/<[^>]*>/g, ''))}\n`,
    ]),
  )
}

/** A program as it stands on a page. With `folder` it runs in that one, where an earlier run may have left files. */
type Program = Readonly<{
  text: string
  ending: string
  args?: readonly string[]
  env?: Readonly<Record<string, string>>
  folder?: string
  /** Collects every line it prints. */
  lines?: string[]
}>

/** Makes a folder in which programs find the built SDK, in both languages. */
export function makeProgramFolder(): string {
  mkdirSync(join(root, '.build'), { recursive: true })
  const folder = mkdtempSync(join(root, '.build/program-'))
  const sdk = join(root, 'packages/client/dist')
  mkdirSync(join(folder, 'node_modules/@pairwire'), { recursive: true })
  cpSync(join(sdk, 'package'), join(folder, 'node_modules/@pairwire/client'), { recursive: true })
  cpSync(join(sdk, 'sdk/pairwire.py'), join(folder, 'pairwire.py'))
  return folder
}

/**
 * Writes a program to a file and runs it with the key in the environment until it prints a line that matches, then
 * kills it.
 *
 * @returns that line. @throws Error with its whole output if it ends before, or prints no such line in time
 */
export async function runProgram(program: Program, key: string, wanted: RegExp): Promise<string> {
  const runner = RUNNERS[program.ending]
  if (!runner) throw new Error(`Nothing here runs .${program.ending}.`)
  const folder = program.folder ?? makeProgramFolder()
  const file = join(folder, `program.${program.ending}`)
  writeFileSync(file, program.text)

  const [command, ...args] = program.ending === 'go' ? [await compiled(file, runner[0])] : [...runner, file]
  const child = spawn(command!, [...args, ...(program.args ?? [])], {
    cwd: folder,
    env: {
      ...process.env,
      ...program.env,
      PAIRWIRE_KEY: key,
      PATH: `${join(root, 'node_modules/.bin')}${delimiter}${process.env.PATH ?? ''}`,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
    // A separate process group, so that what a shell started ends with it.
    detached: true,
  })
  try {
    return await firstLine(child, wanted, program.lines)
  } finally {
    if (child.pid !== undefined && child.exitCode === null) {
      process.kill(-child.pid, 'SIGKILL')
      // What it printed until then is read too: `lines` are compared with what it kept.
      await once(child, 'close')
    }
  }
}

function firstLine(child: ChildProcess, wanted: RegExp, lines: string[] = []): Promise<string> {
  let output = ''
  child.stderr?.on('data', (chunk) => {
    output += chunk
  })
  return new Promise((resolve, reject) => {
    const tooLate = setTimeout(() => reject(new Error(`No such line in time:\n${output}`)), PATIENCE_MS)
    createInterface({ input: child.stdout! }).on('line', (line) => {
      output += `${line}\n`
      lines.push(line)
      if (!wanted.test(line)) return
      clearTimeout(tooLate)
      resolve(line)
    })
    child.once('error', reject)
    child.once('exit', (status) => {
      clearTimeout(tooLate)
      reject(new Error(`Ended with ${status}:\n${output}`))
    })
  })
}

/** The program of that source, which takes longer to compile than it may take to print. */
async function compiled(file: string, go: string): Promise<string> {
  const program = file.replace(/\.go$/, '')
  if (existsSync(program)) return program
  const env = { ...process.env, GO111MODULE: 'off', GOPATH: GO_PATH, GOFLAGS: '' }
  await promisify(execFile)(go, ['build', '-o', program, file], { env })
  return program
}

function findGo(): readonly [string] | undefined {
  if (!existsSync(join(GO_PATH, GO_WEBSOCKET))) return undefined
  try {
    execFileSync('go', ['version'], { stdio: 'ignore' })
    return ['go']
  } catch {
    return undefined
  }
}

function findPython(): readonly [string] | undefined {
  for (const python of ['python3', '/usr/bin/python3']) {
    try {
      execFileSync(python, ['-c', 'import websockets'], { stdio: 'ignore' })
      return [python]
    } catch {
      // Not this one.
    }
  }
  return undefined
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
}

function unescaped(text: string): string {
  return text.replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => ENTITIES[entity] ?? entity)
}
