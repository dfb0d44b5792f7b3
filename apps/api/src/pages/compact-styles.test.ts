import { describe, expect, it } from 'vitest'
import { compactStyles } from './compact-styles.ts'

describe('compact styles', () => {
  it('leave out comments, line breaks and the spaces between parts', () => {
    const text =
      '/* One. */\n.a,\n.b > .c {\n  color: red;\n  margin: 0 auto;\n}\n\n@media (width > 1px) {\n  a { top: 0 }\n}\n'

    expect(compactStyles(text)).toBe('.a,.b>.c{color:red;margin:0 auto}@media (width>1px){a{top:0}}')
  })

  it('keep strings, sums and the space between two selectors', () => {
    const text = '.a :focus::before { content: " > ;  "; inline-size: calc(1px + (2px - 1px)) }'

    expect(compactStyles(text)).toBe(
      '.a :focus::before{content:" > ;  ";inline-size:calc(1px + (2px - 1px))}',
    )
  })
})
