import { readFileSync } from 'node:fs'
import {
  LatestBlockParams,
  NewPairFacts,
  NewPairParams,
  PairUpdateParams,
  SwapFacts,
  SwapParams,
} from '@pairwire/contract'
import { compile, type JSONSchema } from 'json-schema-to-typescript'
import * as z from 'zod'

/** The schemas by the names of their types, each with where it stands in a frame. */
const SCHEMAS = {
  params: { SwapParams, NewPairParams, LatestBlockParams, PairUpdateParams },
  facts: { SwapFacts, NewPairFacts },
}

const FIELDS = new URL('../../../../docs/site/parts/fields.md', import.meta.url)

/** Makes the types of events from the contract's schemas, each field with its sentence from the docs. */
export async function makeWireTypes(): Promise<string> {
  const sentences = readSentences()
  const types: string[] = []
  const schemas = Object.entries(SCHEMAS).flatMap(([path, named]) =>
    Object.entries(named).map(([name, schema]: [string, z.ZodType]) => ({ path, name, schema })),
  )
  for (const { path, name, schema } of schemas) {
    const described = describe(z.toJSONSchema(schema), path, sentences)
    types.push(
      await compile(described, name, {
        bannerComment: '',
        additionalProperties: false,
        style: { semi: false, singleQuote: true, printWidth: 110 },
      }),
    )
  }
  return `// Made of the contract's schemas and docs/site/parts/fields.md: \`npx vitest run packages/client -u\` updates it.\n\n${types.join('\n')}`
}

type Schema = Record<string, unknown>

/** Copies the schema without numeric bounds, and with a sentence for each field that has one. */
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

/** Reads the docs' sentence for each field, by its path. */
function readSentences(): Map<string, string> {
  const rows = readFileSync(FIELDS, 'utf8').matchAll(/^\| `([\w.]+)` \| [^|]+ \| (.+) \|$/gm)
  // The first, for a field in several tables.
  return new Map(
    [...rows]
      .reverse()
      .map(([, path, sentence]) => [path!, sentence!.replace(/\[([^\]]+)\]\([^)]+\)/g, '$1')]),
  )
}
