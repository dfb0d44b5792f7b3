import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { useStore } from '../../components/store.ts'
import { COPY_FORMS, type FormParts } from './copy-forms.ts'
import { copyText } from './copy-text.ts'
import { placeBeside } from './place-beside.ts'
import { requestText } from './request-text.ts'
import './copy-as.css'

type CopyAsProps = {
  /** Address and key of the stream; `undefined` when nobody is signed in any more. */
  readAccess: () => Readonly<{ url: string; key: string }> | undefined
}

/**
 * The request as a command or a program: a menu of eight forms with a preview of the one that is pointed at. The key
 * stays out of them until it is asked for, at each visit anew.
 */
export function CopyAs({ readAccess }: CopyAsProps) {
  const [isOpen, setIsOpen] = useState(false)
  const id = useId()
  const popup = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLDivElement>(null)

  const onToggle = (opens: boolean) => {
    setIsOpen(opens)
    if (opens) return
    // A press elsewhere has moved the focus already.
    if (document.activeElement === document.body) button.current?.querySelector('button')?.focus()
  }
  return (
    <div className="copy-as" ref={button}>
      <Button icon="code" popoverTarget={id} aria-haspopup="menu" aria-expanded={isOpen}>
        Copy as
      </Button>
      <div
        className="copy-popup"
        id={id}
        ref={popup}
        popover="auto"
        onToggle={(event) => onToggle(event.newState === 'open')}
      >
        {isOpen ? (
          <Forms
            readAccess={readAccess}
            beside={button}
            popup={popup}
            onDone={() => popup.current?.hidePopover()}
          />
        ) : null}
      </div>
    </div>
  )
}

type FormsProps = CopyAsProps & {
  beside: { current: HTMLElement | null }
  popup: { current: HTMLElement | null }
  onDone: () => void
}

function Forms({ readAccess, beside, popup, onDone }: FormsProps) {
  const request = useStore(requestText)
  const [hasKey, setHasKey] = useState(false)
  const [current, setCurrent] = useState(0)
  const [copied, setCopied] = useState<number>()
  const menu = useRef<HTMLDivElement>(null)
  const { url, key } = readAccess() ?? { url: '', key: '' }
  const parts: FormParts = { request, url, key: hasKey ? key : undefined }
  const form = COPY_FORMS[Math.min(current, COPY_FORMS.length - 1)]!

  useEffect(() => {
    if (popup.current && beside.current) placeBeside(popup.current, beside.current)
    menu.current?.querySelector<HTMLElement>('[role]')?.focus()
  }, [popup, beside])
  useEffect(() => {
    if (copied === undefined) return
    const timer = setTimeout(() => setCopied(undefined), COPIED_MS)
    return () => clearTimeout(timer)
  }, [copied])

  const copy = async (index: number) => {
    const chosen = COPY_FORMS[index]!
    if (await copyText(chosen.write(parts), chosen.name)) setCopied(index)
  }
  const focusItem = (index: number) => {
    const items = menu.current?.querySelectorAll<HTMLElement>('[role]') ?? []
    items[(index + items.length) % items.length]?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const last = COPY_FORMS.length
    const next = { ArrowUp: current - 1, ArrowDown: current + 1, Home: 0, End: last }[event.key]
    if (event.key === 'Tab') onDone()
    if (next === undefined) return
    event.preventDefault()
    focusItem(next > last ? 0 : next)
  }

  return (
    <>
      <div
        className="copy-menu"
        role="menu"
        aria-label="Copy as"
        ref={menu}
        onKeyDown={onKeyDown}
        tabIndex={-1}
      >
        {COPY_FORMS.map(({ name }, index) => (
          <button
            key={name}
            type="button"
            role="menuitem"
            tabIndex={index === current ? 0 : -1}
            data-current={form.name === name || undefined}
            onFocus={() => setCurrent(index)}
            onPointerEnter={() => setCurrent(index)}
            onClick={() => void copy(index)}
          >
            {copied === index ? (
              <>
                <Icon name="check" size={15} />
                Copied
              </>
            ) : (
              name
            )}
          </button>
        ))}
        <button
          type="button"
          role="menuitemcheckbox"
          aria-checked={hasKey}
          tabIndex={current === COPY_FORMS.length ? 0 : -1}
          className="copy-key"
          onFocus={() => setCurrent(COPY_FORMS.length)}
          onClick={() => setHasKey(!hasKey)}
        >
          <span className="copy-tick">{hasKey ? <Icon name="check" size={13} /> : null}</span>
          Include my key
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached without a pointer */}
      <section className="copy-preview" aria-label={`Preview of ${form.name}`} tabIndex={0}>
        <pre className="mono">{form.write(parts)}</pre>
      </section>
    </>
  )
}

/** Milliseconds for which an item says that it was copied. */
const COPIED_MS = 1_200
