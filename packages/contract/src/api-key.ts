/** Whether it has the form of an API key: 32 lower-case hex characters. A bearer of any other form is a session. */
export function isApiKey(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text)
}
