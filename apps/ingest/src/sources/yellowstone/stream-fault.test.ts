import { systemClock } from '@pairwire/basics'
import { createChain, serveYellowstone } from '@pairwire/chain-double'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readStream } from './read-stream.ts'
import { faultOf } from './stream-fault.ts'

const URL_OF_IT = new URL('http://grpc.example:10000')

describe('the fault of a stream', () => {
  it.each([
    [
      'No connection established. Last error: connect ECONNREFUSED 10.0.0.1:10000 (2026-11-21T20:07:32Z). Resolution note: ',
      'Nothing listens at grpc.example:10000: the connection is refused.',
    ],
    [
      'No connection established. Last error: Protocol error (2026-11-21T20:07:32Z). Resolution note: ',
      'The server at grpc.example:10000 does not speak gRPC.',
    ],
    [
      'No connection established. Last error: connect EHOSTUNREACH 10.0.0.1 (2026-11-21T20:07:32Z). Resolution note: ',
      'The endpoint cannot be reached: "connect EHOSTUNREACH 10.0.0.1"',
    ],
    [
      'No connection established. Last error: Error: 801C:error:0A00010B:SSL routines:wrong version number:ssl3_record.c:350: (2026-11-21T20:07:32Z). Resolution note: ',
      'The server at grpc.example:10000 does not speak TLS.',
    ],
    [
      'No connection established. Last error: self-signed certificate (2026-11-21T20:07:32Z). Resolution note: ',
      'A secure connection to grpc.example:10000 cannot be made: "self-signed certificate"',
    ],
    ['Connection dropped', 'The endpoint cannot be reached: "Connection dropped"'],
  ])('gives the same sentence whenever it occurs: %s', (details, sentence) => {
    const fault = faultOf({ code: 14, details, message: '' }, undefined, URL_OF_IT)

    expect(fault.message).toBe(sentence)
  })

  // Guards the token: the sentence goes into the log and onto a page that anyone may read.
  it('hides the token that a server repeats', async () => {
    const chain = createChain()
    const server = await serveYellowstone({ chain })
    onTestFinished(server.close)
    const reading = readStream(
      {
        url: new URL(server.url.replace('yellowstone+', '')),
        token: 'secret-token',
        programs: [],
        clock: systemClock,
      },
      {
        whereFrom: () => undefined,
        push: () => {
          setImmediate(() => server.endStreams(16, 'no such token: secret-token'))
          return true
        },
        drained: async () => {},
        report: () => {},
        signal: new AbortController().signal,
      },
    )
    const growing = setInterval(() => chain.add([]), 5)
    onTestFinished(() => clearInterval(growing))

    await expect(reading).rejects.toThrow('no such token: …')
  })
})
