import { AppError, Email } from '@pairwire/contract'

/** What two spellings of one email have in common: without blanks around it and regardless of case. */
export function normaliseEmail(email: string): string {
  return email.trim().normalize('NFC').toLowerCase()
}

/** `email` as it is shown: as typed, but for blanks around it. @throws ERR_VALIDATION when it is none */
export function readEmail(email: string): string {
  const parsed = Email.safeParse(email.trim())
  if (!parsed.success) throw new AppError('ERR_VALIDATION', 'Please enter an email address')
  return parsed.data
}
