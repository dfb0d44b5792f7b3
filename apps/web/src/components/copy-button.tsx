import { useEffect, useState } from 'react'
import { announce } from './announce.ts'
import { Button } from './button.tsx'

/** Milliseconds for which the label says that it was copied. */
const SHOWN_MS = 1_200

type CopyButtonProps = {
  /** Exactly what goes to the clipboard. */
  text: string
  /** What is copied, for the accessible name: `API key`. */
  what: string
  size?: 'sm' | 'md' | 'lg'
  /** Draws the mark alone. */
  square?: boolean
}

/** Puts `text` on the clipboard; the label turns to Copied for a moment and it is said politely. */
export function CopyButton({ text, what, size = 'sm', square = false }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<'Copied' | 'Not copied'>()

  useEffect(() => {
    if (!outcome) return
    const timer = setTimeout(() => setOutcome(undefined), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [outcome])

  const copy = async () => {
    const done = await writeClipboard(text)
    setOutcome(done ? 'Copied' : 'Not copied')
    announce(done ? `${what} copied` : `${what} was not copied. Select it and copy it by hand.`, 'status')
  }

  return (
    <Button
      size={size}
      icon={outcome === 'Copied' ? 'check' : 'copy'}
      aria-label={`Copy ${what}`}
      onClick={copy}
    >
      {square ? undefined : (
        <span className="copy-label">
          <span className={outcome ? 'copy-hidden' : undefined}>Copy</span>
          {outcome ? <span className="copy-outcome">{outcome}</span> : null}
        </span>
      )}
    </Button>
  )
}

/** Puts `text` on the clipboard. @returns whether it is there. */
export async function writeClipboard(text: string): Promise<boolean> {
  try {
    if (navigator.clipboard) {
      await navigator.clipboard.writeText(text)
      return true
    }
  } catch {
    return false
  }
  return copyFromPage(text)
}

/** The clipboard belongs to secure pages; elsewhere the older command still works from a press. */
function copyFromPage(text: string): boolean {
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'unseen'
  // While a modal dialog stands, nothing outside it can be selected.
  const holder = document.querySelector('dialog:modal') ?? document.body
  holder.append(area)
  area.select()
  const done = document.execCommand('copy')
  area.remove()
  return done
}
