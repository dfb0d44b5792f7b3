import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { createArchive, openFolderStorage, type Storage } from '@pairwire/archive'
import { systemClock } from '@pairwire/basics'
import { Archiver, type ArchiverOptions } from '../archiver.ts'
import { createEngine, type Engine } from '../engine/engine.ts'
import { blocksOfTorture, LAST_HOUR } from './torture-stream.ts'

// Archives a stream in a separate process. It reports when it begins a step that a kill may interrupt, and when it has
// finished it. It kills itself some milliseconds after one of these beginnings, or as this step ends if that is earlier: so
// a step of less than a millisecond is interrupted too.

const [root, kind, begins, milliseconds] = process.argv.slice(2) as [string, string, string, string]
const killMyself = () => process.kill(process.pid, 'SIGKILL')
let left = Number(begins)
const log = {
  info() {},
  warn() {},
  error: (sentence: string, fields?: object) => say(`error ${sentence} ${JSON.stringify(fields)}`),
}

function say(line: string): void {
  writeSync(1, `${line}\n`)
}

function begin(what: string): void {
  say(`begin ${what}`)
  if (what === kind && --left === 0) setTimeout(killMyself, Number(milliseconds))
}

function end(what: string): void {
  if (what === kind && left <= 0) killMyself()
  say(`end ${what}`)
}

async function during<Value>(what: string, work: () => Promise<Value>): Promise<Value> {
  begin(what)
  const value = await work()
  end(what)
  return value
}

const cursorOf = (block: (typeof blocks)[number]) => block.at(-1)!.cursor
const blocks = blocksOfTorture()

/** The stream as a bus has it: from any cursor on, in batches that may end within a block. */
const bus: ArchiverOptions['bus'] = {
  async *replay(cursor) {
    begin('spool')
    const events = blocks.flat().filter((event) => event.cursor > cursor)
    for (let at = 0; at < events.length; at += 7) {
      yield events.slice(at, at + 7)
      await wait(4)
    }
    end('spool')
  },
  oldestCursor: async () => blocks[0]![0]!.cursor,
  newestCursor: async () => cursorOf(blocks.at(-1)!),
  answer: () => () => {},
}

const folder = await openFolderStorage(join(root, 'archive'))
const storage: Storage = {
  readText: (name) => folder.readText(name),
  open: (name, range) => folder.open(name, range),
  list: (name) => folder.list(name),
  folders: (name) => folder.folders(name),
  remove: (name) => folder.remove(name),
  localPath: (name) => folder.localPath(name),
  signedUrl: (name, fileName) => folder.signedUrl(name, fileName),
  putFile: (name, file) => during('publishing', () => folder.putFile(name, file)),
  putText: (name, text) =>
    during(name.endsWith('hours.json') ? 'index' : 'publishing', () => folder.putText(name, text)),
}

const forked = createEngine(systemClock)
const engine: Engine = {
  ask: (ask, question) => during('engine', () => forked.ask(ask, question)),
  close: () => forked.close(),
}
const archive = createArchive(storage, systemClock)
const archiver = new Archiver({
  ...{ bus, archive, source: 'chain', folder: join(root, 'archiver'), clock: systemClock, log, engine },
  freeBytes: () => undefined,
  async published({ hour }) {
    if (hour === LAST_HOUR) say('done')
  },
})
archiver.start()
