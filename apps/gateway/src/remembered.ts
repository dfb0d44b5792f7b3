/**
 * One value for each name, made when it is first asked for.
 *
 * @param maxNames beyond it the longest known is forgotten
 */
export function createRemembered<Value>(
  make: (name: string) => Value,
  maxNames: number,
): (name: string) => Value {
  const values = new Map<string, Value>()

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
