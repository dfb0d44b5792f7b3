import { Checkbox } from '../components/checkbox.tsx'
import { Field } from '../components/field.tsx'
import { Icon } from '../components/icon.tsx'
import type { VerbField } from './verb-fields.ts'

type VerbControlProps = {
  field: VerbField
  value?: string | undefined
  onChange?: (value: string) => void
}

/** The control for a member of a verb's input, with its label. Without `onChange` it keeps what is typed itself. */
export function VerbControl({ field, value = '', onChange }: VerbControlProps) {
  const { name, label, kind, isRequired, choices } = field
  if (kind === 'flag') {
    const ticked = onChange && {
      checked: value !== '',
      onChange: (event: { target: { checked: boolean } }) => onChange(event.target.checked ? 'yes' : ''),
    }
    return <Checkbox name={name} label={label} {...ticked} />
  }
  const kept = { name, required: isRequired }
  const held = onChange
    ? { ...kept, value, onChange: (event: { target: { value: string } }) => onChange(event.target.value) }
    : { ...kept, defaultValue: value }
  return (
    <Field label={isRequired || onChange ? label : `${label}, optional`}>
      {(ids) => {
        if (kind === 'choice') {
          return (
            <span className="select">
              <select {...ids} {...held} className="input">
                <option value="">{onChange ? 'Any' : 'Choose'}</option>
                {choices.map(([one, word]) => (
                  <option key={one} value={one}>
                    {word}
                  </option>
                ))}
              </select>
              <Icon name="chevron" />
            </span>
          )
        }
        if (kind === 'long') return <textarea {...ids} {...held} className="input room-long" rows={3} />
        const type = kind === 'time' ? 'datetime-local' : kind
        return <input {...ids} {...held} className="input" type={type} autoComplete="off" />
      }}
    </Field>
  )
}
