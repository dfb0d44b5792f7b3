import { readFileSync } from 'node:fs'
import { LatestBlockParams, NewPairParams, PairUpdateParams, SwapParams } from '@pairwire/contract'
import { compile, type JSONSchema } from 'json-schema-to-typescript'
import { z } from 'zod'

const SCHEMAS = { SwapParams, NewPairParams, LatestBlockParams, PairUpdateParams }

const FIELDS = new URL('../../../../docs/site/parts/fields.md', import.meta.url)

/** The types of what events carry, made of the contract's schemas, each field with its sentence from the docs. */
export async function makeWireTypes(): Promise<string> {
  const sentences = readSentences()
  const types: string[] = []
  for (const [name, schema] of Object.entries(SCHEMAS)) {
    const described = describe(z.toJSONSchema(schema), 'params', sentences)
    types.push(
      await compile(described, name, {
        bannerComment: '',
        additionalProperties: false,
        style: { semi: false, singleQuote: true, printWidth: 110 },
      }),
    )
  }
  return `// Made of the contract's schemas and docs/site/parts/fields.md: \`npx vitest run packages/client -u\` makes it anew.\n\n${types.join('\n')}`
}

type Schema = Record<string, unknown>

/** The same schema without bounds of numbers, and with a sentence for each field that has one. */
function describe(schema: Schema, path: string, sentences: ReadonlyMap<string, string>): JSONSchema {
  const { minimum, maximum, pattern, $schema, ...rest } = schema
  const described: Schema = { ...rest }
  const sentence = sentences.get(path)
  if (sentence) described.description = sentence
  for (const key of ['anyOf', 'oneOf'])
    if (Array.isArray(rest[key]))
      described[key] = rest[key].map((part) => ({
        ...describe(part, path, sentences),
        description: undefined,
      }))
  if (rest.properties) {
    described.properties = Object.fromEntries(
      Object.entries(rest.properties as Record<string, Schema>).map(([name, part]) => [
        name,
        describe(part, `${path}.${name}`, sentences),
      ]),
    )
  }
  return described
}

/** What the docs say of each field, by its path. */
function readSentences(): Map<string, string> {
  const rows = readFileSync(FIELDS, 'utf8').matchAll(/^\| `([\w.]+)` \| [^|]+ \| (.+) \|$/gm)
  // Of a field that stands in several tables, the first.
  return new Map(
    [...rows]
      .reverse()
      .map(([, path, sentence]) => [path!, sentence!.replace(/\[([^\]]+)\]\([^)]+\)/g, '$1')]),
  )
}
