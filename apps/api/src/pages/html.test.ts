import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { html } from './html.ts'

describe('html', () => {
  it('escapes everything that is not HTML already', () => {
    const hostile = `<script>alert("1")</script> & 'quotes'`

    expect(html`<p title="${hostile}">${hostile}</p>`.text).toBe(
      '<p title="&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;quotes&#39;">&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;quotes&#39;</p>',
    )
  })

  it('keeps pieces, joins lists and drops undefined and false', () => {
    const items = ['a', 'b'].map((letter) => html`<li>${letter}</li>`)

    expect(html`<ul>${items}${undefined}${false}${0}</ul>`.text).toBe('<ul><li>a</li><li>b</li>0</ul>')
  })

  it('lets no text open a tag or leave an attribute', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(html`${text}`.text).not.toMatch(/[<>"']/)
      }),
    )
  })
})
