import { useEffect, useRef, useState } from 'react'
import { Button, LinkButton } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Panel } from '../../components/panel.tsx'
import './key-panel.css'

type KeyPanelProps = {
  apiKey: string
  /** Time of its last use, in words. */
  lastUse?: string | undefined
  /** Changes when the key was just reset: the field flashes once and takes the focus. */
  resets: number
  onDisconnect: () => void
  onReset: () => void
}

/** The API key, read-only and in full, with its actions. */
export function KeyPanel({ apiKey, lastUse, resets, onDisconnect, onReset }: KeyPanelProps) {
  const [hidden, setHidden] = useState(false)
  const field = useRef<HTMLInputElement>(null)

  useEffect(() => {
    if (resets === 0) return
    setHidden(false)
    field.current?.focus()
  }, [resets])

  return (
    <Panel title="API key" icon="key" aside={lastUse}>
      <div className="panel-body key">
        <div className="key-field aligned" key={resets} data-fresh={resets > 0 || undefined}>
          <input
            ref={field}
            className="key-input mono"
            aria-label="API key"
            readOnly
            spellCheck={false}
            autoComplete="off"
            type={hidden ? 'password' : 'text'}
            value={apiKey}
            onFocus={(event) => event.target.select()}
          />
          <Button
            variant="ghost"
            size="sm"
            icon={hidden ? 'eyeOff' : 'eye'}
            aria-label={hidden ? 'Show key' : 'Hide key'}
            onClick={() => setHidden(!hidden)}
          />
          <CopyButton text={apiKey} what="API key" />
        </div>
        <Button size="lg" icon="plug" onClick={onDisconnect}>
          Disconnect All
        </Button>
        <Button size="lg" icon="reset" onClick={onReset}>
          Reset Key
        </Button>
      </div>
      <div className="key-next">
        <LinkButton role="button" variant="primary" icon="console" to="/dashboard/console">
          Open Test Console
        </LinkButton>
        <LinkButton role="button" icon="book" href="/docs">
          Open Documentation
        </LinkButton>
      </div>
    </Panel>
  )
}
