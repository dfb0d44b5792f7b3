import { readKept } from '../../components/kept.ts'

/** The list kept as JSON under `key`: what of it `isOne` takes. */
export function readKeptList<One>(key: string, isOne: (value: Partial<One>) => boolean): readonly One[] {
  try {
    const kept: unknown = JSON.parse(readKept(key) ?? '[]')
    return Array.isArray(kept) ? kept.filter((one) => typeof one === 'object' && one && isOne(one)) : []
  } catch {
    return []
  }
}
