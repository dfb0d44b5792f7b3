import { type Html, html } from '../html.ts'
import { DOC_GROUPS, type DocPage } from './doc-page.ts'

/** The three columns: contents, text, code. On narrow screens they follow one another. */
export function drawDoc(page: DocPage, pages: readonly DocPage[]): Html {
  const listed = pages.filter((other) => !other.isUnlisted)
  const at = listed.indexOf(page)
  const before = at > 0 && listed[at - 1]
  const after = at >= 0 && listed[at + 1]

  return html`<div class="docs">
<nav class="docs-contents" aria-label="Documentation">
<form class="docs-search" role="search" action="/docs/search">
<label class="unseen" for="docs-query">Search the docs</label>
<input class="input" id="docs-query" name="q" type="search" placeholder="Search" autocomplete="off" spellcheck="false" aria-describedby="docs-search-hint"><kbd aria-hidden="true">/</kbd>
<p class="unseen" id="docs-search-hint">Press slash to come here. Results follow as you type.</p>
</form>
<div id="docs-found" class="docs-found" hidden></div>
<details><summary>Contents</summary>${contents(page, listed)}</details>
</nav>
<article>
<div class="doc-part doc-head"><div class="doc-text"><p class="doc-group">${page.group} <button type="button" class="code-action" data-copy data-from="${page.path}.md"><span>Copy as Markdown</span></button></p><h1>${page.title}</h1><div class="lead">${page.lead.text}</div></div>${page.lead.code && html`<div class="doc-code">${page.lead.code}</div>`}</div>
${page.sections.map(
  ({ id, heading, text, code }) => html`<section class="doc-part" aria-labelledby="${id}">
<div class="doc-text"><h2 id="${id}"><a href="#${id}">${heading}</a></h2>${text}</div>${code && html`<div class="doc-code">${code}</div>`}
</section>`,
)}
${(before || after) && html`<nav class="doc-next" aria-label="Next and previous page">${before && html`<a href="${before.path}"><span class="second">Previous</span>${before.title}</a>`}${after && html`<a href="${after.path}" class="doc-after"><span class="second">Next</span>${after.title}</a>`}</nav>`}
</article>
<p class="unseen" role="status" id="said"></p>
</div>`
}

function contents(page: DocPage, listed: readonly DocPage[]): Html {
  return html`<div class="docs-groups">${DOC_GROUPS.map(
    (group) =>
      html`<h2>${group}</h2><ul>${listed
        .filter((other) => other.group === group)
        .map(
          (other) =>
            html`<li><a href="${other.path}"${other === page && html` aria-current="page"`}>${other.title}</a></li>`,
        )}</ul>`,
  )}</div>`
}
