import { type FormEvent, useRef, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { useStore } from '../../../components/store.ts'
import { editRequest } from './edit-request.ts'
import { requestText } from './request-text.ts'
import { forgetRequest, LONGEST_NAME, savedRequests, saveRequest } from './saved-requests.ts'

/** The requests saved in this browser, and a field to save the current one. */
export default function SavedList({ onDone }: { onDone: () => void }) {
  const saved = useStore(savedRequests)
  const text = useStore(requestText)
  const [name, setName] = useState('')
  const field = useRef<HTMLInputElement>(null)
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    saveRequest(name, text)
    setName('')
  }
  return (
    <div className="keep">
      <form onSubmit={onSubmit}>
        <input
          ref={field}
          aria-label="Name of this request"
          placeholder="Name"
          maxLength={LONGEST_NAME}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <Button size="sm" type="submit">
          Save
        </Button>
      </form>
      {saved.length === 0 ? <p className="third">Nothing saved yet.</p> : null}
      <ul>
        {saved.map((request) => (
          <li key={request.name}>
            <button
              type="button"
              title={request.text}
              onClick={() => {
                editRequest(request.text)
                onDone()
              }}
            >
              {request.name}
            </button>
            <Button
              size="sm"
              variant="ghost"
              icon="trash"
              aria-label={`Delete ${request.name}`}
              onClick={() => {
                field.current?.focus()
                forgetRequest(request.name)
              }}
            />
          </li>
        ))}
      </ul>
    </div>
  )
}
