import { useEffect, useState } from 'react'
import { Button, type ButtonVariant } from './button.tsx'
import { copyText } from './copy-text.ts'

/** Milliseconds for which the label confirms the copy. */
const SHOWN_MS = 1_200

type CopyButtonProps = {
  /** Exactly what goes to the clipboard. */
  text: string
  /** What is copied, for the accessible name: `API key`. */
  what: string
  /** The button's label; empty for only the mark. */
  label?: string
  size?: 'sm' | 'lg'
  variant?: ButtonVariant
}

/** Copies `text` to the clipboard; the label turns to Copied for a moment, and a live region announces it politely. */
export function CopyButton({
  text,
  what,
  label = 'Copy',
  size = 'sm',
  variant = 'default',
}: CopyButtonProps) {
  const [outcome, setOutcome] = useState<'Copied' | 'Not copied'>()

  useEffect(() => {
    if (!outcome) return
    const timer = setTimeout(() => setOutcome(undefined), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [outcome])

  const copy = async () => setOutcome((await copyText(text, what)) ? 'Copied' : 'Not copied')

  return (
    <Button
      size={size}
      variant={variant}
      icon={outcome === 'Copied' ? 'check' : 'copy'}
      aria-label={`Copy ${what}`}
      onClick={copy}
    >
      {label === '' ? undefined : (
        <span className="copy-label">
          <span className={outcome ? 'copy-hidden' : undefined}>{label}</span>
          {outcome ? <span className="copy-outcome">{outcome}</span> : null}
        </span>
      )}
    </Button>
  )
}
