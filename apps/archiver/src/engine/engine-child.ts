import { messageOf } from '@pairwire/basics'
import { makeHour } from './make-hour.ts'
import type { Answer, EngineAsk, FromEngine, Question, ToEngine } from './messages.ts'
import { proveFiles } from './prove-files.ts'
import { readBlocks } from './read-blocks.ts'
import { tryFilter } from './try-filter.ts'

/*
 * The script of the child process that makes files, at lower priority and with its own memory. It answers until its parent
 * closes it or exits.
 */

const ANSWERS: { [Ask in EngineAsk]: (question: Question<Ask>) => Promise<Answer<Ask>> } = {
  make: makeHour,
  blocks: readBlocks,
  prove: proveFiles,
  try: tryFilter,
}

process.on('disconnect', () => process.exit(0))
// Ctrl-C in a terminal reaches the whole process group: only the parent decides when to stop.
process.on('SIGINT', () => {})

process.on('message', async ({ id, ask, question }: ToEngine) => {
  try {
    send({ id, answer: await ANSWERS[ask](question as never) }) // they match, as the types of both do
  } catch (error) {
    send({ id, fault: messageOf(error) })
  }
})

function send(message: FromEngine): void {
  // A parent that has exited needs no answer.
  process.send?.(message, undefined, undefined, () => {})
}
