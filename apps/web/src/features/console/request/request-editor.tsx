// biome-ignore-all lint/suspicious/noArrayIndexKey: pieces are identified only by their position
import {
  type KeyboardEvent,
  type PointerEvent,
  type RefObject,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'
import { announce } from '../../../components/announce.ts'
import { copyText } from '../../../components/copy-text.ts'
import { Icon } from '../../../components/icon.tsx'
import { lazyPart } from '../../../components/lazy-part.tsx'
import { useStore } from '../../../components/store.ts'
import { useConsole } from '../console-context.ts'
import { PopupButton } from '../popup-button.tsx'
import { explorerQuery } from '../rows/explorer-link.tsx'
import { tokenizeJson } from '../rows/tokenize-json.ts'
import { insert } from './edit-request.ts'
import { findJsonFault, isDeep } from './json-fault.ts'
import type { readParamsFault } from './params-fault.ts'
import { requestHints } from './request-hints.ts'
import { requestText } from './request-text.ts'
import { requestLink } from './saved-requests.ts'
import './request-editor.css'

/** Loaded when it is first opened. */
const savedList = lazyPart(() => import('./saved-list.tsx'))

type RequestEditorProps = {
  onSend: () => void
  /** Its textarea, which the examples write to. */
  area: RefObject<HTMLTextAreaElement | null>
}

/**
 * The request, in a real textarea over a coloured copy of its text: the textarea owns text, selection and undo. Only
 * explicit commands change what was typed.
 */
export function RequestEditor({ onSend, area }: RequestEditorProps) {
  const { planName, start } = useConsole()
  const text = useStore(requestText)
  const link = requestLink(text, window.location.origin)
  const id = useId()
  const copy = useRef<HTMLPreElement>(null)
  const numbers = useRef<HTMLDivElement>(null)
  const [chosenLines, setChosenLines] = useState<number>()
  const written = text.split('\n').length
  const lines = chosenLines ?? Math.min(MOST_LINES, Math.max(FIRST_LINES, written))

  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (!event.ctrlKey && !event.metaKey) return
    const area = event.currentTarget
    const act = {
      enter: event.shiftKey ? onSend : start,
      ']': () => indent(area, 1),
      '[': () => indent(area, -1),
      f: event.shiftKey ? () => void format(area) : undefined,
    }[event.key.toLowerCase()]
    if (!act) return
    event.preventDefault()
    act()
  }

  return (
    <div className="editor-field">
      <div className="editor-head">
        <label className="request-label" htmlFor={id}>
          Subscription request
        </label>
        <PopupButton label="Saved">{(close) => <savedList.Part onDone={close} />}</PopupButton>
        <button
          type="button"
          className="text-button"
          aria-disabled={link === undefined}
          title={link ? 'Fills the editor and starts nothing' : 'This request is too long for a link.'}
          onClick={() => link && void copyText(link, 'Link')}
        >
          Copy link
        </button>
        <button
          type="button"
          className="text-button"
          title="Ctrl+Shift+F"
          onClick={() => area.current && void format(area.current)}
        >
          Format
        </button>
      </div>
      <div className="editor">
        <div className="editor-area" style={{ '--lines': lines }}>
          <div className="editor-numbers" ref={numbers} aria-hidden="true">
            {Array.from({ length: written }, (_, line) => line + 1).join('\n')}
          </div>
          <div className="editor-text">
            <pre ref={copy} aria-hidden="true">
              <Coloured text={text} />
              {'\n'}
            </pre>
            <textarea
              id={id}
              ref={area}
              value={text}
              spellCheck={false}
              autoCapitalize="off"
              autoComplete="off"
              autoCorrect="off"
              wrap="off"
              aria-describedby={`${id}-hints`}
              data-request
              onChange={(event) => requestText.write(event.target.value)}
              onKeyDown={onKeyDown}
              onScroll={({ currentTarget: area }) => {
                copy.current?.scrollTo(area.scrollLeft, area.scrollTop)
                numbers.current?.scrollTo(0, area.scrollTop)
              }}
            />
          </div>
        </div>
        <HeightHandle lines={lines} onChange={setChosenLines} />
        <Hints id={`${id}-hints`} text={text} planName={planName} />
      </div>
    </div>
  )
}

/** `text` in its colours. */
function Coloured({ text }: { text: string }) {
  const tokens = tokenizeJson(text)
  return Array.from({ length: Math.ceil(tokens.length / PART) }, (_, part) => (
    <span key={part}>
      {tokens.slice(part * PART, (part + 1) * PART).map((token, index) => (
        <span key={index} className={`json-${token.kind}`}>
          {token.text}
        </span>
      ))}
    </span>
  ))
}

/** Pieces in one element: React takes the square of the time to add more to it, seconds for ten thousand. */
const PART = 200

/** CSS pixels by which the handle moves for a line. */
const LINE_HEIGHT = 20
/** Lines shown of a short request; a longer one grows the editor until the user sets its height. */
const FIRST_LINES = 6
const FEWEST_LINES = 4
const MOST_LINES = 14

/** Indents the lines of the selection by two spaces, or removes them. */
function indent(area: HTMLTextAreaElement, direction: 1 | -1) {
  const { value, selectionStart, selectionEnd } = area
  const from = value.lastIndexOf('\n', selectionStart - 1) + 1
  const to = value.indexOf('\n', selectionEnd) === -1 ? value.length : value.indexOf('\n', selectionEnd)
  const moved = value
    .slice(from, to)
    .split('\n')
    .map((line) => (direction === 1 ? `  ${line}` : line.replace(/^ {1,2}/, '')))
    .join('\n')
  area.setSelectionRange(from, to)
  insert(area, moved)
  area.setSelectionRange(from, from + moved.length)
}

/** Formats valid JSON over lines; leaves anything else unchanged, as the hints say. */
async function format(area: HTMLTextAreaElement) {
  // Code that the raw JSON of rows needs too.
  const { prettyJson } = await import('../rows/pretty-json.ts')
  const text = area.value
  area.focus()
  if (text === '' || findJsonFault(text) || isDeep(text)) return
  const pretty = prettyJson(text)
    .map((line) => '  '.repeat(line.depth) + line.pieces.map((piece) => piece.text).join(''))
    .join('\n')
  area.select()
  insert(area, pretty)
}

function Hints({ id, text, planName }: { id: string; text: string; planName: string | undefined }) {
  const [settled, setSettled] = useState(text)
  const isFirst = useRef(true)
  const isSimulated = useStore(explorerQuery) === undefined
  const [check, setCheck] = useState<{ paramsFault: typeof readParamsFault }>()
  const hints = requestHints(settled, planName, isSimulated, check?.paramsFault)
  const words = hints.map((hint) => (hint.code ? `${hint.words} ${hint.code}` : hint.words)).join(' ')

  useEffect(() => {
    const show = (code: typeof import('./params-fault.ts')) => setCheck({ paramsFault: code.readParamsFault })
    // Without it, the service reports the same when the request is sent.
    import('./params-fault.ts').then(show, () => {})
  }, [])
  useEffect(() => {
    if (text === settled) return
    const timer = setTimeout(() => setSettled(text), HINT_MS)
    return () => clearTimeout(timer)
  }, [text, settled])
  useEffect(() => {
    if (!isFirst.current) announce(words, 'status')
    isFirst.current = false
  }, [words])

  return (
    <div className="editor-hints" id={id}>
      {hints.map((hint) => (
        <p key={hint.words} className={`hint-${hint.tone}`}>
          <Icon name={hint.tone === 'good' ? 'check' : hint.tone === 'note' ? 'info' : 'warning'} size={15} />
          <span>
            {hint.words}
            {hint.code ? (
              <>
                {' '}
                <span className="mono">{hint.code}</span>
              </>
            ) : null}
          </span>
        </p>
      ))}
    </div>
  )
}

/** Milliseconds after the last keystroke before hints appear. */
const HINT_MS = 600

function HeightHandle({ lines, onChange }: { lines: number; onChange: (lines: number) => void }) {
  const start = useRef({ y: 0, lines })
  const set = (wanted: number) => onChange(Math.min(MOST_LINES, Math.max(FEWEST_LINES, Math.round(wanted))))
  const onPointerMove = (event: PointerEvent<HTMLElement>) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return
    set(start.current.lines + (event.clientY - start.current.y) / LINE_HEIGHT)
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a movable separator is a widget, not a rule
    <div
      className="editor-handle"
      role="separator"
      tabIndex={0}
      aria-orientation="horizontal"
      aria-label="Height of the editor in lines"
      aria-valuemin={FEWEST_LINES}
      aria-valuemax={MOST_LINES}
      aria-valuenow={lines}
      onPointerDown={(event) => {
        start.current = { y: event.clientY, lines }
        event.currentTarget.setPointerCapture(event.pointerId)
      }}
      onPointerMove={onPointerMove}
      onKeyDown={(event) => {
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
        if (!step) return
        event.preventDefault()
        set(lines + step)
      }}
    />
  )
}

declare module 'react' {
  interface CSSProperties {
    /** Lines of text that the editor shows. */
    '--lines'?: number
  }
}
