import type { Theme } from '../../shell/theme.ts'
import './code-examples.css'

type CodeExamplesProps = { apiKey: string; theme: Theme }

/** The code examples, a page of the service in a frame; they include the user's email and joined date. */
export function CodeExamples({ apiKey, theme }: CodeExamplesProps) {
  const key = encodeURIComponent(apiKey)
  return (
    <iframe
      className="panel code-examples"
      title="Code examples"
      src={`/frame/code-examples?key=${key}${theme === 'system' ? '' : `&theme=${theme}`}`}
      height={600}
      loading="lazy"
    />
  )
}
