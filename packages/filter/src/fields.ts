/** The members of a JSON object by name. Clients spell names in any case; null counts as absent. */
export type Fields = Readonly<{
  /** Returns the value of that member; undefined when it is absent. Of two spellings the last counts, as in JSON. */
  read(name: string): unknown
  /** The names with a value, as the client spelled them. */
  names(): Iterable<string>
}>

/** Reads the members of `object` once, so that each lookup costs the same however many there are. */
export function indexFields(object: object): Fields {
  const members = new Map<string, { name: string; value: unknown }>()
  for (const [name, value] of Object.entries(object)) {
    if (value !== null) members.set(name.toLowerCase(), { name, value })
  }

  return {
    read: (name) => members.get(name.toLowerCase())?.value,
    *names() {
      for (const { name } of members.values()) yield name
    },
  }
}
