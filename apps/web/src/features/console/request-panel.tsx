import { type ReactNode, useRef, useState } from 'react'
import { Link } from 'react-router'
import { Button } from '../../components/button.tsx'
import { Checkbox } from '../../components/checkbox.tsx'
import { lazyPart } from '../../components/lazy-part.tsx'
import { passFocusBack } from '../../components/page.tsx'
import { useStore } from '../../components/store.ts'
import { duration } from '../../locale/relative-time.ts'
import { useConsole } from './console-context.ts'
import { feed, useFeed } from './feed/feed.ts'
import { useSecond } from './feed/second.ts'
import { PopupButton } from './popup-button.tsx'
import { replaceRequest } from './request/edit-request.ts'
import { examplesOf, tradedNow } from './request/examples.ts'
import { RequestEditor } from './request/request-editor.tsx'
import { planFault } from './request/request-hints.ts'
import { requestText } from './request/request-text.ts'
import { SubscriptionStrip, UpdateButton } from './request/subscription-strip.tsx'
import { isSpoken } from './stream/spoken-summary.ts'
import { useStreamState } from './stream/status-word.tsx'
import { ActiveTokens } from './tokens/active-tokens.tsx'
import './request/copy-as.css'
import './request-panel.css'

/** Loaded when first opened: most visits to the console do not need them. */
const copyMenu = lazyPart(() => import('./request/copy-menu.tsx'))
const playbackForm = lazyPart(() => import('./history/playback-form.tsx'))
const filterTrial = lazyPart(() => import('./history/filter-trial.tsx'))

type RequestPanelProps = {
  /** The current error, if its place is here. */
  error: ReactNode
  /** Leads a person without a plan to one. */
  lead: ReactNode
}

/** Examples, editor, Start, Send and Copy as, and the facts of the connection. */
export function RequestPanel({ error, lead }: RequestPanelProps) {
  const { planName } = useConsole()
  const text = useStore(requestText)
  const spoken = useStore(isSpoken)
  const area = useRef<HTMLTextAreaElement>(null)
  const tokens = useFeed('tokens')
  // Current trades change; the pressed example stays pressed while its text is unchanged.
  const [pressed, setPressed] = useState({ label: '', text: '' })
  const [tried, setTried] = useState<{ text: string; at: number }>()
  const send = () => feed.send(requestText.read())

  return (
    <div className="request-panel">
      <div>
        <h2 className="request-label">Examples</h2>
        <div className="examples">
          {examplesOf(tradedNow(tokens, feed.read().rows)).map((example) => {
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
      <RequestEditor onSend={send} area={area} />
      <div>
        <div className="editor-head">
          <PopupButton label="Replay an hour">{(close) => <playbackForm.Part onDone={close} />}</PopupButton>
          <button type="button" className="text-button" onClick={() => setTried({ text, at: Date.now() })}>
            Try this filter
          </button>
          <Link className="text-button" to={`/dashboard/account?${new URLSearchParams({ webhook: text })}`}>
            Make this a webhook
          </Link>
        </div>
        {tried ? <filterTrial.Part tried={tried} onClose={() => setTried(undefined)} /> : null}
      </div>
      <SubscriptionStrip />
      {error ?? lead}
      <div className="request-actions">
        <StartButton />
        <ResumeButton />
        <RestartButton />
        <SendButton onSend={send} />
        <UpdateButton />
        <PopupButton
          label="Copy as"
          className="copy-popup"
          button={{ icon: 'code', children: 'Copy as', 'aria-haspopup': 'menu' }}
        >
          {(close) => <copyMenu.Part onDone={close} />}
        </PopupButton>
      </div>
      <ActiveTokens />
      <div className="request-foot">
        <Facts />
        <Checkbox
          label="Read events aloud (screen readers)"
          checked={spoken}
          onChange={(event) => isSpoken.write(event.target.checked)}
        />
      </div>
    </div>
  )
}

/** Size in the panel, or larger in the bottom bar. */
type SizeProps = { size?: 'md' | 'xl' }

/** Start, or Stop while a connection is open or opening. */
export function StartButton({ size = 'md' }: SizeProps) {
  const { start, isStartWaiting } = useConsole()
  const connection = useFeed('connection')
  const isOn = connection === 'connecting' || connection === 'streaming'
  return (
    <Button
      variant="primary"
      size={size}
      icon={isOn ? 'stop' : 'play'}
      className="start-button"
      busy={isStartWaiting}
      onClick={() => (isOn ? feed.stop() : start())}
    >
      {isOn ? 'Stop' : 'Start'}
    </Button>
  )
}

/** Closes a stalled connection and opens another one; useless while the service itself has no data. */
export function RestartButton({ size = 'md' }: SizeProps) {
  const { restart, isSourceAway } = useConsole()
  return useStreamState() === 'Stalled' && !isSourceAway ? (
    <Button size={size} icon="reset" ref={passFocusBack} onClick={restart}>
      Restart
    </Button>
  ) : null
}

/** Continues everything that was subscribed to when the connection broke, whatever the editor contains now. */
export function ResumeButton({ size = 'md' }: SizeProps) {
  const { resume } = useConsole()
  const resumable = useFeed('resumable')
  const isClosed = useFeed('connection') === 'closed'
  return isClosed && resumable.length > 0 ? (
    <Button size={size} className="resume-button" ref={passFocusBack} onClick={resume}>
      Resume from where it stopped
    </Button>
  ) : null
}

function SendButton({ onSend }: { onSend: () => void }) {
  const connection = useFeed('connection')
  return (
    <Button icon="arrow" disabled={connection !== 'streaming'} onClick={onSend}>
      Send
    </Button>
  )
}

function Facts() {
  const { connectionLimit = 1, openConnections = 0 } = useConsole()
  const openedAt = useFeed('openedAt')
  // The server's count may not include this connection yet.
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
