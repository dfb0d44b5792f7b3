/** Whether `text` has the form of an account id, a UUID; PostgreSQL refuses to compare ids with anything else. */
export function isAccountId(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text)
}
