import { announce } from '../../../components/announce.ts'
import { Button } from '../../../components/button.tsx'
import { formatCount } from '../../../locale/locale.ts'
import { feed, useFeed } from '../feed/feed.ts'
import { fileName, saveFile } from '../feed/save-file.ts'
import { asCsv, asNdjson } from '../rows/export-rows.ts'
import { withFace } from '../tokens/use-token-face.ts'
import { RECORDING_BYTES } from '../worker/recording.ts'

/** Saves the listed rows as a file, and everything that arrives from now on as another. */
export default function KeepMenu() {
  const rows = useFeed('rows')
  const recording = useFeed('recording')
  const isStreaming = useFeed('connection') === 'streaming'
  const save = (ending: 'ndjson' | 'csv') => {
    const named = rows.map((row) =>
      row.reading.kind === 'message' ? row : withFace(row, feed.names.read(row.reading.mint)),
    )
    const text = ending === 'csv' ? asCsv(named, (mint) => feed.names.read(mint)?.name ?? '') : asNdjson(rows)
    const type = ending === 'csv' ? 'text/csv' : 'application/x-ndjson'
    saveFile(new Blob([text], { type }), fileName(new Date(), ending))
    announce(`${formatCount(rows.length, 'row')} saved`, 'status')
  }
  return (
    <div className="keep">
      <p>The {formatCount(rows.length, 'row')} shown</p>
      <Button size="sm" block disabled={rows.length === 0} onClick={() => save('ndjson')}>
        Save NDJSON
      </Button>
      <Button size="sm" block disabled={rows.length === 0} onClick={() => save('csv')}>
        Save CSV
      </Button>
      <p>
        {recording
          ? `${formatCount(recording.frames, 'message')}, ${megabytes(recording.bytes)} MB so far.`
          : `Record from now (up to ${megabytes(RECORDING_BYTES)} MB)`}
      </p>
      <Button
        size="sm"
        block
        {...(recording ? { icon: 'stop' } : {})}
        disabled={!recording && !isStreaming}
        onClick={() => feed.record(!recording)}
      >
        {recording ? 'Stop and save' : 'Record to a file'}
      </Button>
    </div>
  )
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)
}
