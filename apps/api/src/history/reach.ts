import { StorageAwayError } from '@pairwire/archive'
import { AppError } from '@pairwire/contract'

/** Awaits an answer of the archive. @throws AppError ERR_UNAVAILABLE while it is away */
export async function reach<Answer>(asked: Promise<Answer>): Promise<Answer> {
  try {
    return await asked
  } catch (error) {
    throw error instanceof StorageAwayError
      ? new AppError('ERR_UNAVAILABLE', 'The archive is away; try again in a minute.')
      : error
  }
}
