import { messageOf } from '@pairwire/basics'
import { makeHour } from './make-hour.ts'
import type { Answer, EngineAsk, FromEngine, Question, ToEngine } from './messages.ts'
import { proveFiles } from './prove-files.ts'
import { readBlocks } from './read-blocks.ts'
import { tryFilter } from './try-filter.ts'

/*
 * The script of the child process: what makes files runs here, at lower priority and in memory of its own. It answers until
 * its parent lets it go, or is no more.
 */

const ANSWERS: { [Ask in EngineAsk]: (question: Question<Ask>) => Promise<Answer<Ask>> } = {
  make: makeHour,
  blocks: readBlocks,
  prove: proveFiles,
  try: tryFilter,
}

process.on('disconnect', () => process.exit(0))
// Ctrl-C at a terminal goes to the whole group: the parent says when it is over.
process.on('SIGINT', () => {})

process.on('message', async ({ id, ask, question }: ToEngine) => {
  try {
    send({ id, answer: await ANSWERS[ask](question as never) }) // they go together, as the types of both do
  } catch (error) {
    send({ id, fault: messageOf(error) })
  }
})

function send(message: FromEngine): void {
  // A parent that is no more hears of nothing.
  process.send?.(message, undefined, undefined, () => {})
}
