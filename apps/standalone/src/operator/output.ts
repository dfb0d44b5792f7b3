/** Writes a line to the output. */
export function write(line: string): void {
  console.log(line)
}

/** Writes a line beside the output, for people. */
export function report(line: string): void {
  console.error(line)
}

/** Writes text and waits while the reader is behind, so that a large recording or list is never held in memory. */
export function writeText(text: Buffer | string): void | Promise<void> {
  if (process.stdout.write(text)) return
  return new Promise((resolve) => process.stdout.once('drain', resolve))
}

/** The exit status of `run`; `failed`, with a sentence, if it throws. */
export async function orStatus(failed: number, run: () => Promise<number>): Promise<number> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof Error)) throw error
    // Node raises the soft limit by itself.
    const advice = '. Give this process a hard limit of 4096 open files or more (ulimit -Hn).'
    report(`${error.message}${/EMFILE|too many open files/i.test(error.message) ? advice : ''}`)
    return failed
  }
}
