/**
 * One value for each name, made when it is first asked for.
 *
 * @param maxNames beyond it the longest known is forgotten
 * @param values where they stand, for who has to look without asking for one
 */
export function createRemembered<Value>(
  make: (name: string) => Value,
  maxNames: number,
  values = new Map<string, Value>(),
): (name: string) => Value {
  return (name) => {
    let value = values.get(name)
    if (value === undefined) {
      if (values.size >= maxNames) values.delete(values.keys().next().value!)
      value = make(name)
      values.set(name, value)
    }
    return value
  }
}
