import { type Interest, indexFields, readInterest, STREAM_SENTENCES, StreamFault } from '@pairwire/filter'

/** Params of a subscribe that a webhook has no use for, and why. */
const FOREIGN = {
  commitment: 'a webhook sends what is confirmed',
  resume_from: 'a webhook keeps its place by itself',
  replay: 'a webhook sends the live stream',
  timestamps: 'a message has its own timestamp',
}

/** Reads the params of an endpoint. @throws StreamFault with the stream's sentences, and for params that only streams have */
export function readWebhookParams(
  kind: 'swap' | 'newPair',
  params: Readonly<Record<string, unknown>>,
): Interest {
  const fields = indexFields(params)
  for (const [name, why] of Object.entries(FOREIGN)) {
    if (fields.read(name) === undefined) continue
    throw new StreamFault('NOT_AVAILABLE', STREAM_SENTENCES.NOT_AVAILABLE(name, why))
  }
  return readInterest(kind, { params: fields, around: [], isUpdate: false })
}
