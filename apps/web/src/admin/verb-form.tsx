import { isGrave as isGraveCall, VERBS, type VerbName } from '@pairwire/contract/operator'
import { type FormEvent, useRef, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Dialog } from '../components/dialog.tsx'
import { ActionError } from '../components/field.tsx'
import { passFocus } from '../components/page.tsx'
import { useMay, useVerb } from './room-data.ts'
import { show, showTime } from './show.ts'
import { VerbControl } from './verb-control.tsx'
import { fieldsOf, readFields } from './verb-fields.ts'

type VerbFormProps = {
  name: VerbName
  /** Members of the input that the page knows. */
  given?: Readonly<Record<string, unknown>>
  onDone?: () => void
}

/** A verb as a form that opens on a press, drawn from its schema; nothing for operators who may not use it. */
export function VerbForm({ name, given = {}, onDone }: VerbFormProps) {
  const may = useMay()
  const form = useRef<HTMLFormElement>(null)
  const [isAsking, setAsking] = useState(false)
  const [done, setDone] = useState('')
  const { mutate, isPending, error } = useVerb(name)
  if (!may.use(name)) return null

  const { help } = VERBS[name]
  const isGrave = isGraveCall(VERBS[name], given)
  const fields = fieldsOf(name, Object.keys(given))
  const title = titleOf('who' in given ? name.replace(/^account /, '') : name)
  const run = () => {
    setAsking(false)
    setDone('')
    mutate(
      { ...given, ...readFields(fields, form.current!) },
      {
        onSuccess: ({ rows: [row] }) => {
          form.current?.reset()
          const at = showTime(new Date().toISOString())
          // Of a person, the page shows what has become of them.
          setDone(`Done at ${at} UTC. ${row && !('who' in given) ? showFlat(row) : ''}`)
          onDone?.()
        },
      },
    )
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isGrave) setAsking(!isPending)
    else if (!isPending) run()
  }
  return (
    <details className="room-verb" ref={passFocus}>
      <summary>{title}</summary>
      <form ref={form} className="room-form" onSubmit={submit}>
        <p className="second">{help.charAt(0).toUpperCase() + help.slice(1)}.</p>
        {fields.map((field) => (
          <VerbControl key={field.name} field={field} />
        ))}
        <ActionError>{isPending ? null : error?.message}</ActionError>
        <div className="dialog-actions">
          <span role="status" className="second">
            {done}
          </span>
          <Button type="submit" variant={isGrave ? 'danger' : 'primary'} busy={isPending}>
            {title}
          </Button>
        </div>
      </form>
      {isAsking ? (
        <Dialog
          title={`${title}?`}
          body={`This ${help}.`}
          confirmLabel={title}
          confirmVariant="danger"
          firstFocus="cancel"
          busy={false}
          onConfirm={run}
          onCancel={() => setAsking(false)}
        />
      ) : null}
    </details>
  )
}

/** A verb's name as words on a button. Where it is known whose account it is about, the group is not named. */
function titleOf(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** An answer of words and figures, such as how many mails were sent; nothing of one that holds more. */
function showFlat(row: object): string {
  return Object.values(row).some((value) => typeof value === 'object' && value !== null) ? '' : show('', row)
}
