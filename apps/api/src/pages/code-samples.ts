import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { WHALE_USD } from '@pairwire/contract'

/** A language in which every sample exists. */
export type Language = Readonly<{
  id: string
  name: string
  /** Ending of the sample's file. */
  ending: string
  /** How the code reads the key from the environment, and the quotes around a key in its place. */
  keyFromEnvironment: string
  quote: string
}>

/** The languages, in the order of their tabs. */
export const LANGUAGES: readonly Language[] = [
  { id: 'node', name: 'Node', ending: 'mjs', keyFromEnvironment: 'process.env.PAIRWIRE_KEY', quote: "'" },
  {
    id: 'python',
    name: 'Python',
    ending: 'py',
    keyFromEnvironment: 'os.environ["PAIRWIRE_KEY"]',
    quote: '"',
  },
  { id: 'go', name: 'Go', ending: 'go', keyFromEnvironment: 'os.Getenv("PAIRWIRE_KEY")', quote: '"' },
  {
    // CI has no Rust: these programs are compiled and run by nobody.
    id: 'rust',
    name: 'Rust',
    ending: 'rs',
    keyFromEnvironment: 'std::env::var("PAIRWIRE_KEY")?',
    quote: '"',
  },
  { id: 'wscat', name: 'wscat', ending: 'sh', keyFromEnvironment: '$PAIRWIRE_KEY', quote: '' },
]

/** The purpose of each sample; `id` is the name of its files. */
export const SAMPLES = [
  { id: 'new-pairs', name: 'New pairs' },
  { id: 'all-swaps', name: 'All swaps' },
  { id: 'whale-swaps', name: `Whale swaps over ${WHALE_USD.toLocaleString('en-GB')} USD` },
] as const

/** Name of the files of a sample. */
export type SampleId = (typeof SAMPLES)[number]['id']

/** Text of an example program, by file name, for this deployment's stream. */
export type CodeSamples = (file: string) => string

/** The addresses in the files themselves: a service on this machine. */
const [LOCAL_STREAM, LOCAL_PAGES] = ['ws://localhost:8080/', 'http://localhost:8080']

/** The folders of programs, those of the SDK last. */
const FOLDERS = ['examples', '../../../packages/client/examples', '../../../clients/python/examples']

/** Reads programs, each once, and inserts this deployment's addresses. @throws if there is no such file */
export function createCodeSamples({
  pagesRoot,
  streamUrl,
  publicUrl,
}: Readonly<{ pagesRoot: string; streamUrl: string; publicUrl: string }>): CodeSamples {
  const texts = new Map<string, string>()
  return (file) => {
    let text = texts.get(file)
    if (text === undefined) {
      const path = FOLDERS.map((folder) => join(pagesRoot, folder, file)).find((one) => existsSync(one))
      text = readFileSync(path ?? file, 'utf8').trimEnd()
      text = text.replaceAll(LOCAL_STREAM, streamUrl).replaceAll(LOCAL_PAGES, publicUrl)
      texts.set(file, text)
    }
    return text
  }
}
