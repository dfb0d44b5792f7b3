/** Largest recording in bytes, counted as UTF-16 units: frames are ASCII except for names. */
export const RECORDING_BYTES = 50_000_000

/** Result of {@link createRecording}. */
export type Recording = ReturnType<typeof createRecording>

/** Collects frames for a file, one per line, until it is full. */
export function createRecording(mostBytes: number = RECORDING_BYTES) {
  let file = new Blob([])
  let lines: string[] = []
  let waiting = 0
  let bytes = 0
  let frames = 0

  // The browser can store a blob on disk, but not our strings.
  const flush = () => {
    file = new Blob([file, ...lines], { type: 'application/x-ndjson' })
    lines = []
    waiting = 0
  }
  return {
    /** @returns whether there is room for more. */
    take(text: string): boolean {
      const line = `${text.replace(/[\r\n]+/g, ' ')}\n`
      if (bytes + line.length > mostBytes) return false
      lines.push(line)
      waiting += line.length
      bytes += line.length
      frames++
      if (waiting > FLUSH_BYTES) flush()
      return true
    },
    get size() {
      return { frames, bytes }
    },
    finish(): Blob {
      flush()
      return file
    },
  }
}

const FLUSH_BYTES = 1_000_000
