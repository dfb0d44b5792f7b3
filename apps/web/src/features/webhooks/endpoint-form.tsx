import type { Webhook, WebhookBody } from '@pairwire/contract'
import { type FormEvent, useEffect, useId, useRef, useState } from 'react'
import { useCall } from '../../api/use-call.ts'
import { Button } from '../../components/button.tsx'
import { ActionError, Field } from '../../components/field.tsx'
import { replaceRequest } from '../console/request/edit-request.ts'
import { examplesOf } from '../console/request/examples.ts'
import { type Draft, type DraftFault, NUMBERS, readDraft, writeDraft } from './draft.ts'
import { COLUMN, LINE } from './layout.ts'

type EndpointFormProps = {
  /** Of the draft. */
  id: string
  /** Of the endpoint to change; a new one has none yet. */
  kind: Webhook['kind'] | undefined
  draft: Draft
  planName: string | undefined
  save: (body: WebhookBody) => Promise<unknown>
}

/** Address, request and size of messages. What was typed stays until it is saved or dropped. */
export function EndpointForm({ id, kind, draft, planName, save }: EndpointFormProps) {
  const [fault, setFault] = useState<DraftFault>()
  const form = useRef<HTMLFormElement>(null)
  const area = useRef<HTMLTextAreaElement>(null)
  const hintsId = useId()
  const hints = useHints(draft.text, planName)
  const { run, busy, failure } = useCall(async (body: WebhookBody) => {
    await save(body)
    writeDraft(id, undefined)
  })
  useEffect(() => {
    // It takes the place of the button that opened it, and the button its place again.
    const place = form.current?.parentElement
    focusIfLost(form.current?.querySelector('input'))
    return () => focusIfLost(place?.querySelector<HTMLElement>('button, a'))
  }, [])
  const change = (changed: Partial<Draft>) => {
    setFault(undefined)
    writeDraft(id, { ...draft, ...changed })
  }
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const read = readDraft(draft, kind)
    if (!('field' in read)) return void run(read)
    setFault(read)
    event.currentTarget.querySelector<HTMLElement>(`[name=${read.field}]`)?.focus()
  }
  const errorIn = (field: DraftFault['field']) => (fault?.field === field ? fault.words : undefined)
  return (
    <form
      ref={form}
      aria-label={kind ? 'Change the endpoint' : 'New endpoint'}
      onSubmit={onSubmit}
      noValidate
      style={{ ...COLUMN, maxWidth: 720 }}
    >
      <Field label="Address" error={errorIn('url')}>
        {(ids) => (
          <input
            {...ids}
            className="input mono"
            name="url"
            type="url"
            spellCheck={false}
            autoComplete="off"
            placeholder="https://"
            value={draft.url}
            onChange={({ target }) => change({ url: target.value })}
          />
        )}
      </Field>
      <Field label="Subscription request" error={errorIn('text')}>
        {(ids) => (
          <textarea
            {...ids}
            ref={area}
            className="input mono"
            style={{ height: 'auto', paddingBlock: 10, resize: 'vertical' }}
            name="text"
            rows={6}
            wrap="off"
            spellCheck={false}
            autoCapitalize="off"
            aria-describedby={`${hintsId} ${ids['aria-describedby'] ?? ''}`}
            value={draft.text}
            onChange={({ target }) => change({ text: target.value })}
          />
        )}
      </Field>
      <p id={hintsId} className="second small">
        {hints}
      </p>
      <div style={LINE}>
        {examplesOf().map(({ label, text, selection }) => (
          <Button
            key={label}
            size="sm"
            onClick={() => area.current && replaceRequest(area.current, text, selection)}
          >
            {label}
          </Button>
        ))}
      </div>
      <div style={LINE}>
        {NUMBERS.map(([name, label, min, max]) => (
          <Field key={name} label={label} error={errorIn(name)}>
            {(ids) => (
              <input
                {...{ ...ids, name, min, max }}
                className="input num"
                style={{ width: 160 }}
                type="number"
                value={draft[name]}
                onChange={({ target }) => change({ [name]: target.value })}
              />
            )}
          </Field>
        ))}
      </div>
      <ActionError>{failure?.error.message}</ActionError>
      <div style={LINE}>
        <Button type="submit" variant="primary" busy={busy !== undefined}>
          {kind ? 'Save' : 'Create endpoint'}
        </Button>
        <Button onClick={() => writeDraft(id, undefined)}>Cancel</Button>
      </div>
    </form>
  )
}

function focusIfLost(element: HTMLElement | null | undefined): void {
  if (document.activeElement === document.body) element?.focus()
}

/** The console's remarks on a request, whose code is loaded with the form; the service reports the same on saving. */
function useHints(text: string, planName: string | undefined): string {
  const [code, setCode] = useState<Awaited<ReturnType<typeof loadHints>>>()
  useEffect(() => void loadHints().then(setCode, () => {}), [])
  const hints = code?.requestHints(text, planName, false, code.readParamsFault) ?? []
  return hints.map(({ words, code }) => (code ? `${words} ${code}.` : words)).join(' ')
}

async function loadHints() {
  const parts = [
    import('../console/request/request-hints.ts'),
    import('../console/request/params-fault.ts'),
  ] as const
  const [{ requestHints }, { readParamsFault }] = await Promise.all(parts)
  return { requestHints, readParamsFault }
}
