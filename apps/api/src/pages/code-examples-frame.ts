import type { Brand } from '@pairwire/process/brand'
import { dayText } from '../day-text.ts'
import { iconOf } from './brand/brand-look.ts'
import { highlight } from './code-block.ts'
import { type CodeSamples, LANGUAGES, SAMPLES } from './code-samples.ts'
import { type Html, html } from './html.ts'

/** The owner of the key that the frame was opened with. */
export type FrameUser = Readonly<{ email: string; joinedAt: string }>

/** The frame's sentence for a wrong key. */
export const BAD_KEY = 'This key is not valid. Reload the page after you reset the key.'

/** The frame's sentence while keys cannot be checked. */
export const KEYS_AWAY = 'The key cannot be checked right now. Reload the page in a minute.'

/** A page for a frame: no banner, no menu; `theme` as requested, else the system's. */
export function framePage(brand: Brand, look: Html, theme: string | undefined, main: Html): Html {
  const chosen = theme === 'light' || theme === 'dark' ? theme : undefined
  return html`<!doctype html>
<html lang="en-GB"${chosen && html` data-theme="${chosen}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Code examples · ${brand.name}</title>
<meta name="description" content="Programs that open the stream with your key, in five languages.">
<link rel="icon" type="image/svg+xml" href="${iconOf(brand)}">
${look}
<link rel="stylesheet" href="/docs/assets/frame.css">
<script type="module" src="/docs/assets/frame.js"></script>
</head>
<body>
${main}
</body>
</html>
`
}

/** One line instead of the examples. */
export function frameLine(sentence: string): Html {
  return html`<main class="frame-line"><h1 class="unseen">Code examples</h1><p>${sentence}</p></main>`
}

/** The examples. None contains the key: the frame's script takes it from the address on request. */
export function frameExamples(samples: CodeSamples, user: FrameUser): Html {
  const [firstLanguage] = LANGUAGES
  const [firstSample] = SAMPLES

  return html`<main class="frame">
<h1 class="unseen">Code examples</h1>
<div class="frame-bar">
<div role="tablist" aria-label="Language">${LANGUAGES.map(
    (language) =>
      html`<button type="button" role="tab" id="tab-${language.id}" aria-controls="code" aria-selected="${String(language === firstLanguage)}" tabindex="${language === firstLanguage ? 0 : -1}" data-language="${language.id}">${language.name}</button>`,
  )}</div>
<button type="button" class="code-action frame-copy" id="copy"><svg viewBox="0 0 18 18" width="15" height="15" aria-hidden="true"><rect x="6" y="6" width="9" height="9" rx="1.5"/><path d="M12 6V4.5A1.5 1.5 0 0 0 10.5 3h-6A1.5 1.5 0 0 0 3 4.5v6A1.5 1.5 0 0 0 4.5 12H6"/></svg><span>Copy</span></button>
</div>
<div class="frame-tools">
<fieldset><legend class="unseen">Sample</legend>${SAMPLES.map(
    (sample) =>
      html`<label><input type="radio" name="sample" value="${sample.id}" autocomplete="off"${sample === firstSample && html` checked`}><span>${sample.name}</span></label>`,
  )}</fieldset>
<label class="frame-switch"><input type="checkbox" role="switch" id="put-key" autocomplete="off"><span>Insert my key</span></label>
</div>
<div class="frame-code" id="code" role="tabpanel" aria-labelledby="tab-${firstLanguage?.id ?? ''}" tabindex="0">${LANGUAGES.flatMap(
    (language) =>
      SAMPLES.map(
        (sample) =>
          html`<pre data-language="${language.id}" data-sample="${sample.id}"${(language !== firstLanguage || sample !== firstSample) && html` hidden`}><code>${highlight(samples(`${sample.id}.${language.ending}`), language)}</code></pre>`,
      ),
  )}</div>
<footer class="frame-foot"><span>${user.email}</span><span>Joined <time datetime="${user.joinedAt}">${dayText(new Date(user.joinedAt))}</time></span></footer>
<p class="unseen" role="status" id="said"></p>
</main>`
}
