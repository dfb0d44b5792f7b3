import { AppError, Email } from '@pairwire/contract'

/** The email without surrounding blanks and in lower case, so that two spellings of one email are equal. */
export function normaliseEmail(email: string): string {
  return email.trim().normalize('NFC').toLowerCase()
}

/** `email` as it is shown: as typed, without surrounding blanks. @throws ERR_VALIDATION if it is not an email */
export function readEmail(email: string): string {
  const parsed = Email.safeParse(email.trim())
  if (!parsed.success) throw new AppError('ERR_VALIDATION', 'Please enter an email address')
  return parsed.data
}
