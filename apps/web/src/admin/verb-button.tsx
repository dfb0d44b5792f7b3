import type { InputOf, VerbName } from '@pairwire/contract/operator'
import { Button } from '../components/button.tsx'
import { ActionError } from '../components/field.tsx'
import { passFocus } from '../components/page.tsx'
import { useMay, useVerb } from './room-data.ts'

type VerbButtonProps<Name extends VerbName> = {
  name: Name
  input: InputOf<Name>
  label: string
  /** What it is done to, for those who cannot see the row. */
  what: string
}

/** A verb that needs nothing typed, as a button of a row; nothing for operators who may not use it. */
export function VerbButton<Name extends VerbName>({ name, input, label, what }: VerbButtonProps<Name>) {
  const may = useMay()
  const { mutate, isPending, error } = useVerb(name)
  if (!may.use(name)) return null
  return (
    <div ref={passFocus}>
      <Button size="sm" busy={isPending} aria-label={`${label} ${what}`} onClick={() => mutate(input)}>
        {label}
      </Button>
      <ActionError>{error?.message}</ActionError>
    </div>
  )
}
