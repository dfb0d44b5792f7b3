import { type Html, html } from '../html.ts'

/** A frame as multi-line JSON, each member marked with its path, so that a field and its place can highlight each other. */
export function frameJson(frame: unknown): Html {
  return html`<pre tabindex="0" class="frame-json"><code>${draw(frame, '', 0)}</code></pre>`
}

function draw(value: unknown, path: string, depth: number): Html {
  if (typeof value !== 'object' || value === null) {
    const text = JSON.stringify(value)
    return typeof value === 'string' ? html`${text}` : html`<span class="code-number">${text}</span>`
  }
  const members = Object.entries(value)
  const indent = '  '.repeat(depth + 1)
  return html`{\n${members.map(([name, member], index) => {
    const here = path === '' ? name : `${path}.${name}`
    const comma = index < members.length - 1 && ','
    return html`${indent}<span data-field="${here}"><span class="code-key">"${name}"</span>: ${draw(member, here, depth + 1)}</span>${comma}\n`
  })}${'  '.repeat(depth)}}`
}
