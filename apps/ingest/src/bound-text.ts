/** Characters of untrusted text that are kept: far more than Metaplex's 32 and 10, far less than a frame. */
const MAX_TEXT_LENGTH = 256

/** Characters of an untrusted address that is passed on: a longer one would be useless when cut. */
export const MAX_LINK_LENGTH = 512

/** Returns untrusted text unchanged, cut if absurdly long, never inside a character. */
export function boundText(text: string): string {
  if (text.length <= MAX_TEXT_LENGTH) return text
  const last = text.charCodeAt(MAX_TEXT_LENGTH - 1)
  const isHalf = last >= 0xd800 && last <= 0xdbff
  return text.slice(0, isHalf ? MAX_TEXT_LENGTH - 1 : MAX_TEXT_LENGTH)
}
