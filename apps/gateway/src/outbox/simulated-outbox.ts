import { Frames } from '../protocol/frames.ts'
import { Outbox } from './outbox.ts'

/** How a message begins, and what the first one of simulated data says. */
const BEGIN = '{"method":'
const MARK = Buffer.from('{"simulated":true,"method":')

/** The outbox of a wire without answers: its first message says that the data is simulated. */
export class SimulatedOutbox extends Outbox {
  #hasSaid = false

  override write(frames: Frames): boolean {
    const at = this.#hasSaid ? -1 : frames.bytes.indexOf(BEGIN)
    if (at < 0) return super.write(frames)
    this.#hasSaid = true
    const rest = frames.bytes.subarray(at + BEGIN.length)
    return super.write(new Frames(Buffer.concat([frames.bytes.subarray(0, at), MARK, rest])))
  }
}
