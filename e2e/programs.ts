import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
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

/**
 * Writes a program to a file and runs it with the key in the environment until it prints a matching line.
 *
 * @returns that line. @throws Error with all its output if it ends before, or prints nothing in time
 */
export async function runProgram(
  program: { text: string; ending: string; args?: readonly string[] },
  key: string,
  wanted: RegExp,
): Promise<string> {
  const runner = RUNNERS[program.ending]
  if (!runner) throw new Error(`Nothing here runs .${program.ending}.`)
  mkdirSync(join(root, '.build'), { recursive: true })
  const file = join(mkdtempSync(join(root, '.build/program-')), `program.${program.ending}`)
  writeFileSync(file, program.text)

  const [command, ...args] = program.ending === 'go' ? [await compiled(file, runner[0])] : [...runner, file]
  const child = spawn(command!, [...args, ...(program.args ?? [])], {
    env: {
      ...process.env,
      PAIRWIRE_KEY: key,
      PATH: `${join(root, 'node_modules/.bin')}${delimiter}${process.env.PATH ?? ''}`,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
    // A separate process group, so that what a shell started ends with it.
    detached: true,
  })
  try {
    return await firstLine(child, wanted)
  } finally {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL')
  }
}

function firstLine(child: ChildProcess, wanted: RegExp): Promise<string> {
  let output = ''
  child.stderr?.on('data', (chunk) => {
    output += chunk
  })
  return new Promise((resolve, reject) => {
    const tooLate = setTimeout(() => reject(new Error(`No such line in time:\n${output}`)), PATIENCE_MS)
    createInterface({ input: child.stdout! }).on('line', (line) => {
      output += `${line}\n`
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
