import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { register } from 'tsx/esm/api'

/** The checkout of the harness, and the one whose product is measured. */
export const HERE = new URL('../../', import.meta.url)
export const CHECKOUT = new URL(process.env.BENCH_CHECKOUT || HERE)

let isTypeScriptKnown = false

/** Makes imports accept TypeScript from here on, which a peer loaded after it may not support. So not all use it. */
export function takeTypeScript() {
  if (!isTypeScriptKnown) register()
  isTypeScriptKnown = true
}

/** Imports a file of the product from the measured checkout: the first of `paths` that exists. */
export function product(...paths) {
  takeTypeScript()
  const urls = paths.map((path) => new URL(path, CHECKOUT))
  return import((urls.find((url) => existsSync(url)) ?? urls[0]).href)
}

/** A library as resolved by one of the product's packages: a peer may have brought an older one into this folder. */
export function libraryOf(folder, name) {
  return createRequire(new URL(`${folder}/package.json`, CHECKOUT))(name)
}

/** The recorded transactions, which this checkout reads for both. */
export async function openAllRecordings() {
  takeTypeScript()
  const { FOLDERS, openRecordings } = await import('../../packages/decoders/src/testing/recordings.ts')
  return { FOLDERS, recordings: openRecordings(process.env) }
}

/** The folder that was searched for recordings, if there are none. */
export async function findMissingRecordings() {
  const { recordings } = await openAllRecordings()
  return recordings.exist ? undefined : recordings.root
}

/** A path in a checkout, by default this one. */
export function pathOf(path, checkout = HERE) {
  return fileURLToPath(new URL(path, checkout))
}
