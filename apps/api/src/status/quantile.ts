/**
 * The value below which `share` (0 to 1) of all samples lie, interpolated within its bucket. Undefined without samples;
 * values beyond the last bound count as that bound.
 *
 * @param bounds upper bounds of all buckets but the last, ascending
 */
export function quantile(
  bounds: readonly number[],
  counts: readonly number[],
  share: number,
): number | undefined {
  const all = counts.reduce((sum, count) => sum + count, 0)
  if (all === 0) return undefined

  let below = 0
  for (const [bucket, count] of counts.entries()) {
    if (count > 0 && below + count >= share * all) {
      const low = bucket === 0 ? 0 : (bounds[bucket - 1] ?? 0)
      const high = bounds[bucket] ?? low
      return low + ((share * all - below) / count) * (high - low)
    }
    below += count
  }
  return bounds.at(-1)
}
