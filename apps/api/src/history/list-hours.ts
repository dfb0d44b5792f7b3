import type { Archive } from '@pairwire/archive'
import type { Manifest, SourceKind } from '@pairwire/contract'
import { reach } from './reach.ts'

/**
 * Lists the hours of a source between two times in Unix milliseconds; none if no hours are archived.
 *
 * @throws AppError ERR_UNAVAILABLE while the archive is away
 */
export async function listHours(
  archive: Pick<Archive, 'list'> | undefined,
  source: SourceKind,
  from: number,
  to: number,
): Promise<readonly Manifest[]> {
  return archive ? reach(archive.list(source, from, to)) : []
}
