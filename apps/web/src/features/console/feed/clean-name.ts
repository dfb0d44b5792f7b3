/**
 * Cleans a stranger's name or symbol for display: removes control and format characters (bidirectional marks,
 * zero-width ones, line ends), joins runs of spaces and of blank letters, and cuts it to 32 characters.
 */
export function cleanName(name: string): string {
  const clean = name
    .slice(0, LOOKED_AT)
    .replace(/[\p{Cf}\p{Co}\p{Cs}\p{Cn}]/gu, '')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s\u115f\u1160\u2800\u3164\uffa0]+/gu, ' ')
    .trim()
  const characters = [...clean]
  return characters.length > LONGEST ? `${characters.slice(0, LONGEST - 1).join('')}…` : clean
}

const LONGEST = 32
/** UTF-16 units examined: enough for 32 characters with marks, and a limit on the work that a stranger can cause. */
const LOOKED_AT = 256
