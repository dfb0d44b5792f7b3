import { highlight } from '../code-block.ts'
import { type CodeSamples, LANGUAGES, type SampleId } from '../code-samples.ts'
import { type Html, html } from '../html.ts'

/** A block of code with Copy. */
export function codeFigure(label: string, text: string): Html {
  return figure(label, html`<pre tabindex="0"><code>${highlight(text)}</code></pre>`)
}

/** A request as a whole frame, with Copy and a link to the console's editor, which starts nothing. */
export function requestFigure(label: string, text: string): Html {
  const address = `/dashboard/console?request=${encodeURIComponent(text)}`
  return figure(
    label,
    html`<pre tabindex="0"><code>${highlight(text)}</code></pre>`,
    html`<a class="code-action" href="${address}">Open in console</a>`,
  )
}

/** One of the samples in every language; the language chosen here applies to all pages. */
export function samplesFigure(label: string, sample: SampleId, samples: CodeSamples): Html {
  const [first] = LANGUAGES
  return html`<figure class="code code-tabs"><figcaption>${label}</figcaption>
<div class="code-bar"><div role="tablist" aria-label="Language">${LANGUAGES.map(
    (language) =>
      html`<button type="button" role="tab" id="${sample}-${language.id}" aria-controls="${sample}-code" aria-selected="${String(language === first)}" tabindex="${language === first ? 0 : -1}" data-language="${language.id}">${language.name}</button>`,
  )}</div>${COPY}</div>
<div role="tabpanel" id="${sample}-code" aria-labelledby="${sample}-${first?.id ?? ''}" tabindex="0">${LANGUAGES.map(
    (language) =>
      html`<pre data-language="${language.id}"${language !== first && html` hidden`}><code>${highlight(samples(`${sample}.${language.ending}`))}</code></pre>`,
  )}</div></figure>`
}

/** A figure with Copy around any block; `actions` are placed beside it. */
export function figure(label: string, block: Html, actions?: Html): Html {
  return html`<figure class="code"><div class="code-bar"><figcaption>${label}</figcaption>${actions}${COPY}</div>${block}</figure>`
}

const COPY = html`<button type="button" class="code-action" data-copy><span>Copy</span></button>`
