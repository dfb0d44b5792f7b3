/** An SVG file, with its size in its own units. */
export type Picture = Readonly<{ svg: string; width: number; height: number }>

/** What a picture must not hold, since a browser that opens it by itself would run or fetch it. */
const FORBIDDEN: readonly (readonly [RegExp, string])[] = [
  [/<script/i, 'holds a script.'],
  [/\son[a-z]+\s*=/i, 'runs a script at an event.'],
  [/(?:java|vb)script:/i, 'runs a script by a link.'],
  [/<foreignobject|<iframe|<embed|<object/i, 'holds another document.'],
  [/<!doctype[^>]*\[|<!entity/i, 'defines entities.'],
  [
    /(?:href\s*=\s*["']?|url\(\s*["']?|@import\s*(?:url\()?\s*["']?)\s*(?:https?:)?\/\//i,
    'fetches from elsewhere.',
  ],
]

/** Reads an SVG's size from its `viewBox`; each fault is told with its line. */
export function readPicture(
  svg: string,
  fault: (line: number, sentence: string) => void,
): Picture | undefined {
  for (const [pattern, sentence] of FORBIDDEN) {
    const at = svg.search(pattern)
    if (at >= 0) fault(lineAt(svg, at), sentence)
  }
  const [, width, height] =
    /<svg[^>]*\sviewBox\s*=\s*["'][-\d.]+[\s,]+[-\d.]+[\s,]+([\d.]+)[\s,]+([\d.]+)/.exec(svg) ?? []
  if (!Number(width) || !Number(height)) {
    fault(lineAt(svg, Math.max(svg.indexOf('<svg'), 0)), 'is no SVG with a viewBox.')
    return undefined
  }
  return { svg, width: Number(width), height: Number(height) }
}

/** The line of a place in a text, from 1. */
export function lineAt(text: string, at: number): number {
  return text.slice(0, at).split('\n').length
}
