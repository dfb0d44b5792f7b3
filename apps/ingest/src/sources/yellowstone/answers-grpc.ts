import { type ServiceError, status } from '@grpc/grpc-js'
import { openClient } from './read-stream.ts'

/** What only a server that speaks gRPC answers with; the library itself makes others of plain HTTP answers. */
const SPOKEN: readonly number[] = [status.UNAUTHENTICATED, status.PERMISSION_DENIED]

/** Whether a Yellowstone server answers at this address, even if only to ask for a token. */
export function answersGrpc(url: URL, signal: AbortSignal): Promise<boolean> {
  const client = openClient({ url })
  return new Promise<boolean>((resolve) => {
    const asBytes = (bytes: Buffer): Buffer => bytes
    const call = client.makeUnaryRequest(
      '/geyser.Geyser/GetVersion',
      asBytes,
      asBytes,
      Buffer.alloc(0),
      (error: ServiceError | null) => resolve(!error || SPOKEN.includes(error.code)),
    )
    const cancel = () => call.cancel()
    signal.addEventListener('abort', cancel)
    if (signal.aborted) cancel()
  }).finally(() => client.close())
}
