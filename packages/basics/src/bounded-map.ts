/** A map of at most `max` entries. Setting an entry makes it the newest; beyond the bound the oldest is dropped. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #max: number

  constructor(max: number) {
    super()
    this.#max = max
  }

  override set(key: Key, value: Value): this {
    this.delete(key)
    super.set(key, value)
    if (this.size > this.#max) this.delete(this.keys().next().value!)
    return this
  }

  /** Returns the value of a key, and creates and sets a missing one. */
  ensure(key: Key, make: () => Value): Value {
    let value = this.get(key)
    if (value === undefined) {
      value = make()
      this.set(key, value)
    }
    return value
  }
}
