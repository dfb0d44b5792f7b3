import { type ReactNode, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Checkbox } from '../../components/checkbox.tsx'
import { lazyPart } from '../../components/lazy-part.tsx'
import { useStore } from '../../components/store.ts'
import { duration } from '../../locale/relative-time.ts'
import { ActiveTokens } from './active-tokens.tsx'
import type { ConsoleFeed } from './console-feed.ts'
import { replaceRequest } from './edit-request.ts'
import { examplesOf, tradedNow } from './examples.ts'
import { PopupButton } from './popup-button.tsx'
import { RequestEditor } from './request-editor.tsx'
import { planFault } from './request-hints.ts'
import { requestText } from './request-text.ts'
import { useSecond } from './second.ts'
import { isSpoken } from './spoken-summary.ts'
import { useStreamState } from './status-word.tsx'
import { SubscriptionStrip, UpdateButton } from './subscription-strip.tsx'
import './copy-as.css'
import './request-panel.css'

/** Loaded when it is first opened: most visits to the console do without. */
const copyMenu = lazyPart(() => import('./copy-menu.tsx'))

type RequestPanelProps = {
  feed: ConsoleFeed
  readAccess: () => Readonly<{ url: string; key: string }> | undefined
  planName: string | undefined
  connectionLimit: number | undefined
  openConnections: number | undefined
  isSourceAway: boolean
  onStart: () => void
  onResume: () => void
  onRestart: () => void
  /** Whether a start waits for the key. */
  isStartWaiting: boolean
  /** The standing error, where it has its place here. */
  error: ReactNode
  /** What leads a person without a plan to one. */
  lead: ReactNode
}

/** Examples, editor, Start, Send and Copy as, and the facts of the connection. */
export function RequestPanel({
  feed,
  readAccess,
  planName,
  connectionLimit,
  openConnections,
  isSourceAway,
  onStart,
  onResume,
  onRestart,
  isStartWaiting,
  error,
  lead,
}: RequestPanelProps) {
  const text = useStore(requestText)
  const spoken = useStore(isSpoken)
  const area = useRef<HTMLTextAreaElement>(null)
  const tokens = useStore(feed.tokens)
  // What trades now moves on; the example that was pressed stays pressed while its text stands.
  const [pressed, setPressed] = useState({ label: '', text: '' })
  const send = () => feed.send(requestText.read())

  return (
    <div className="request-panel">
      <div>
        <h2 className="request-label">Examples</h2>
        <div className="examples">
          {examplesOf(tradedNow(tokens, feed.rows.read())).map((example) => {
            const outside = planFault(example.text, planName)
            return (
              <button
                key={example.label}
                type="button"
                className="example"
                title={outside}
                aria-pressed={text === (pressed.label === example.label ? pressed.text : example.text)}
                onClick={() => {
                  setPressed(example)
                  if (area.current) replaceRequest(area.current, example.text, example.selection)
                }}
              >
                {example.label}
                {outside ? <span className="third"> not in {planName}</span> : null}
              </button>
            )
          })}
        </div>
      </div>
      <RequestEditor
        planName={planName}
        onStart={onStart}
        onSend={send}
        onReady={(element) => {
          area.current = element
        }}
      />
      <SubscriptionStrip feed={feed} />
      {error ?? lead}
      <div className="request-actions">
        <StartButton feed={feed} onStart={onStart} isWaiting={isStartWaiting} />
        <ResumeButton feed={feed} onResume={onResume} />
        <RestartButton feed={feed} isSourceAway={isSourceAway} onRestart={onRestart} />
        <SendButton feed={feed} onSend={send} />
        <UpdateButton feed={feed} />
        <PopupButton
          label="Copy as"
          className="copy-popup"
          button={{ icon: 'code', children: 'Copy as', 'aria-haspopup': 'menu' }}
        >
          {(close) => <copyMenu.Part readAccess={readAccess} onDone={close} />}
        </PopupButton>
      </div>
      <ActiveTokens feed={feed} />
      <div className="request-foot">
        <Facts feed={feed} connectionLimit={connectionLimit} openConnections={openConnections} />
        <Checkbox
          label="Read events aloud (screen readers)"
          checked={spoken}
          onChange={(event) => isSpoken.write(event.target.checked)}
        />
      </div>
    </div>
  )
}

/** Start, and Stop for as long as a connection is open or being opened. */
export function StartButton({
  feed,
  onStart,
  isWaiting,
  size = 'md',
}: {
  feed: ConsoleFeed
  onStart: () => void
  isWaiting: boolean
  size?: 'md' | 'xl'
}) {
  const connection = useStore(feed.connection)
  const isOn = connection === 'connecting' || connection === 'streaming'
  return (
    <Button
      variant="primary"
      size={size}
      icon={isOn ? 'stop' : 'play'}
      className="start-button"
      busy={isWaiting}
      onClick={() => (isOn ? feed.stop() : onStart())}
    >
      {isOn ? 'Stop' : 'Start'}
    </Button>
  )
}

/** Closes a connection that has stalled, and opens one anew; of no use where the service itself has no data. */
export function RestartButton({
  feed,
  isSourceAway,
  onRestart,
  size = 'md',
}: {
  feed: ConsoleFeed
  isSourceAway: boolean
  onRestart: () => void
  size?: 'md' | 'xl'
}) {
  return useStreamState(feed) === 'Stalled' && !isSourceAway ? (
    <Button size={size} icon="reset" onClick={onRestart}>
      Restart
    </Button>
  ) : null
}

/** Continues all that was subscribed to when the connection broke, whatever the editor holds by now. */
export function ResumeButton({
  feed,
  onResume,
  size = 'md',
}: {
  feed: ConsoleFeed
  onResume: () => void
  size?: 'md' | 'xl'
}) {
  const resumable = useStore(feed.resumable)
  const isClosed = useStore(feed.connection) === 'closed'
  return isClosed && resumable.length > 0 ? (
    <Button
      size={size}
      className="resume-button"
      onClick={({ currentTarget }) => {
        // The button goes; the focus stays where the connection is governed.
        ;(currentTarget.previousElementSibling as HTMLElement).focus()
        onResume()
      }}
    >
      Resume from where it stopped
    </Button>
  ) : null
}

function SendButton({ feed, onSend }: { feed: ConsoleFeed; onSend: () => void }) {
  const connection = useStore(feed.connection)
  return (
    <Button icon="arrow" disabled={connection !== 'streaming'} onClick={onSend}>
      Send
    </Button>
  )
}

function Facts({
  feed,
  connectionLimit = 1,
  openConnections = 0,
}: {
  feed: ConsoleFeed
  connectionLimit: number | undefined
  openConnections: number | undefined
}) {
  const openedAt = useStore(feed.openedAt)
  // The server's count may not have this connection yet.
  const used = Math.max(openConnections, openedAt === null ? 0 : 1)
  return (
    <dl className="console-facts">
      <div>
        <dt>Connections</dt>
        <dd className="num">
          {used === 0 ? `${connectionLimit} allowed` : `${used} of ${connectionLimit} in use`}
        </dd>
      </div>
      <div>
        <dt>Open for</dt>
        <dd className="num">{openedAt === null ? '–' : <OpenFor since={openedAt} />}</dd>
      </div>
    </dl>
  )
}

function OpenFor({ since }: { since: number }) {
  return <>{duration(useSecond() - since)}</>
}
