import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { copyText } from '../../../components/copy-text.ts'
import { Icon } from '../../../components/icon.tsx'
import { useStore } from '../../../components/store.ts'
import { useConsole } from '../console-context.ts'
import { COPY_FORMS, type FormParts } from './copy-forms.ts'
import { requestText } from './request-text.ts'

/** The eight forms next to a preview of one of them. The focus goes to the first at once; `onDone` when it leaves by Tab. */
export default function CopyMenu({ onDone }: { onDone: () => void }) {
  const request = useStore(requestText)
  const [hasKey, setHasKey] = useState(false)
  const [current, setCurrent] = useState(0)
  const [copied, setCopied] = useState<number>()
  const menu = useRef<HTMLDivElement>(null)
  const { url, key } = useConsole().readAccess() ?? { url: '', key: '' }
  const parts: FormParts = { request, url, key: hasKey ? key : undefined }
  const form = COPY_FORMS[Math.min(current, COPY_FORMS.length - 1)]!

  useEffect(() => {
    menu.current?.querySelector<HTMLElement>('[role]')?.focus()
  }, [])
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
    if (event.key === 'Tab' && event.shiftKey) onDone()
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
      <section
        className="copy-preview"
        aria-label={`Preview of ${form.name}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached without a pointer
        tabIndex={0}
        onKeyDown={({ key, shiftKey }) => key === 'Tab' && !shiftKey && onDone()}
      >
        <pre className="mono">{form.write(parts)}</pre>
      </section>
    </>
  )
}

/** Milliseconds for which an item confirms the copy. */
const COPIED_MS = 1_200
