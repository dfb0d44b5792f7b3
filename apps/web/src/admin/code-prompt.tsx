import { ApiError } from '../api/api-error.ts'
import { useCall } from '../api/use-call.ts'
import { Button } from '../components/button.tsx'
import { Field } from '../components/field.tsx'
import { showModal } from '../components/page.tsx'
import { createStore, useStore } from '../components/store.ts'
import { callRoom } from './call-room.ts'

/** A call that waits for a code. */
type Waiting = Readonly<{ goOn(): void; giveUp(): void }>

const waiting = createStore<Waiting | undefined>(undefined)

/**
 * Makes a call; where the server wants a code first, asks for it and then makes the call again, so that nothing is typed
 * twice.
 *
 * @throws ApiError of the call, or CODE_REQUIRED if nobody gives a code
 */
export async function withCode<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call()
  } catch (error) {
    if (!(error instanceof ApiError) || error.errorType !== 'CODE_REQUIRED') throw error
  }
  await new Promise<void>((goOn, refuse) => {
    const giveUp = () => refuse(new ApiError('CODE_REQUIRED', 'Nothing was done: it needs a code.'))
    waiting.write({ goOn, giveUp })
  }).finally(() => waiting.write(undefined))
  return call()
}

/** Asks for the code of the call that waits for one, if any does. */
export function CodePrompt() {
  const call = useStore(waiting)
  return call ? <CodeDialog {...call} /> : null
}

function CodeDialog({ goOn, giveUp }: Waiting) {
  const confirm = async (code: string) => {
    await callRoom('session/confirm', { body: { code } })
    goOn()
  }
  return (
    <dialog ref={showModal} className="dialog" aria-labelledby="code-title" onCancel={giveUp}>
      <div className="dialog-card">
        <h2 id="code-title">Enter a code</h2>
        <p className="second">This cannot be undone, so it needs a code of the last five minutes.</p>
        <CodeForm submit={confirm} label="Go on">
          <Button onClick={giveUp}>Cancel</Button>
        </CodeForm>
      </div>
    </dialog>
  )
}

type CodeFormProps = {
  submit: (code: string) => Promise<void>
  label: string
  children?: React.ReactNode
}

/** A field for the six digits of an authenticator app, with a button and what stands beside it. */
export function CodeForm({ submit, label, children }: CodeFormProps) {
  const { run, busy, failure } = useCall(submit)
  return (
    <form
      className="room-form"
      onSubmit={(event) => {
        event.preventDefault()
        if (!busy) void run(String(new FormData(event.currentTarget).get('code')).replaceAll(/\s/g, ''))
      }}
    >
      <Field label="Code from your authenticator app" error={failure?.error.message}>
        {(ids) => (
          <input
            {...ids}
            className="input num"
            name="code"
            required
            // biome-ignore lint/a11y/noAutofocus: the form is all that there is
            autoFocus
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={9}
          />
        )}
      </Field>
      <div className="dialog-actions">
        {children}
        <Button type="submit" variant="primary" busy={busy !== undefined}>
          {label}
        </Button>
      </div>
    </form>
  )
}
