import type { CodeSamples } from '../code-samples.ts'
import { compactStyles } from '../compact-styles.ts'
import { Html } from '../html.ts'

/** Address of the page that shows Pulse and runs it. */
export const PULSE_PATH = '/docs/pulse'

/**
 * Takes the example's one file apart, since the policy of the pages allows neither style nor script inside them: what the
 * page holds, and its files by path. Their calls go to where the page came from, whatever it calls itself.
 */
export function readPulse(
  samples: CodeSamples,
  publicUrl: string,
): Readonly<{ markup: Html; files: Readonly<Record<string, string>> }> {
  const source = samples('pulse.html')
  const part = (pattern: RegExp) => pattern.exec(source)![1]! // the file is ours
  return {
    markup: new Html(part(/(<section class="pulse"[\s\S]*<\/section>)/)),
    files: {
      '/docs/assets/pulse.css': compactStyles(part(/<style>([\s\S]*)<\/style>/) + samples('pulse-page.css')),
      '/docs/assets/pulse.js': part(/<script type="module">([\s\S]*)<\/script>/).replaceAll(publicUrl, ''),
    },
  }
}
