import { quoteForGo, quoteForJavaScript, quoteForPython, quoteForRust, quoteForShell } from './quote-text.ts'

/** The input of a form. Without `key` it reads the key from the environment. */
export type FormParts = Readonly<{
  /** The request as typed. Every form contains it unchanged. */
  request: string
  /** Websocket address without the key. */
  url: string
  key?: string | undefined
}>

/** A way to use the request elsewhere. */
type CopyForm = Readonly<{ name: string; write: (parts: FormParts) => string }>

/** The forms of Copy as, in order. */
export const COPY_FORMS: readonly CopyForm[] = [
  { name: 'Request JSON', write: ({ request }) => request },
  { name: 'wscat', write: asWscat },
  { name: 'websocat', write: asWebsocat },
  { name: 'curl', write: asCurl },
  { name: 'Node', write: asNode },
  { name: 'Python', write: asPython },
  { name: 'Go', write: asGo },
  { name: 'Rust', write: asRust },
]

function asWscat(parts: FormParts): string {
  return `# npm i -g wscat
wscat -c ${quoteForShell(parts.url)} -H ${shellHeader(parts)} -w -1 \\
  -x ${quoteForShell(parts.request)}
`
}

// Messages end with a zero byte on both sides: otherwise a multi-line request would be sent line by line.
function asWebsocat(parts: FormParts): string {
  return `# cargo install websocat
printf '%s\\0' ${quoteForShell(parts.request)} |
  websocat -t -n -0 -H ${shellHeader(parts)} ${quoteForShell(parts.url)} |
  tr '\\0' '\\n'
`
}

// curl stays on an upgraded connection until it ends, hence the limit.
function asCurl(parts: FormParts): string {
  const url = parts.url.replace(/^ws/, 'http')
  return `# Prints 101 when key and upgrade are accepted.
curl -s -o /dev/null -w '%{http_code}\\n' --http1.1 --max-time 3 \\
  -H 'Connection: Upgrade' -H 'Upgrade: websocket' \\
  -H 'Sec-WebSocket-Version: 13' -H 'Sec-WebSocket-Key: ${CURL_NONCE}' \\
  -H ${shellHeader(parts)} ${quoteForShell(url)}
`
}

/** Sixteen bytes in base64, as a handshake requires; any will do. */
const CURL_NONCE = 'cGFpcndpcmUtaXMtbGl2ZQ=='

/** The copied program's message without a key in the environment. */
const NO_KEY = 'Put your API key into the environment variable PAIRWIRE_KEY.'

function asNode(parts: FormParts): string {
  const key =
    parts.key === undefined
      ? `process.env.PAIRWIRE_KEY
if (!key) {
  console.error(${quoteForJavaScript(NO_KEY)})
  process.exit(1)
}`
      : quoteForJavaScript(parts.key)
  return `// npm i ws
import WebSocket from ${quoteForJavaScript('ws')}

const key = ${key}
const request = ${quoteForJavaScript(parts.request)}

const stream = new WebSocket(${quoteForJavaScript(parts.url)}, { headers: { 'X-API-KEY': key } })
stream.on('open', () => stream.send(request))
stream.on('message', (frame) => console.log(String(frame)))
stream.on('error', (error) => console.error(error.message))
stream.on('close', (code, reason) => console.error('closed', code, String(reason)))
`
}

function asPython(parts: FormParts): string {
  const key =
    parts.key === undefined
      ? `os.environ.get("PAIRWIRE_KEY") or sys.exit(${quoteForPython(NO_KEY)})`
      : quoteForPython(parts.key)
  return `# pip install websockets
import asyncio
import os
import sys

import websockets

key = ${key}
request = ${quoteForPython(parts.request)}


async def main():
    async with websockets.connect(${quoteForPython(beforeKey(parts.url))} + key) as stream:
        await stream.send(request)
        async for frame in stream:
            print(frame, flush=True)


asyncio.run(main())
`
}

function asGo(parts: FormParts): string {
  const isFromEnvironment = parts.key === undefined
  const key = isFromEnvironment ? 'os.Getenv("PAIRWIRE_KEY")' : quoteForGo(parts.key)
  return `// go get github.com/gorilla/websocket
package main

import (
	"fmt"
	"net/http"
	"os"

	"github.com/gorilla/websocket"
)

const request = ${quoteForGo(parts.request)}

func main() {
	headers := http.Header{"X-Api-Key": {${key}}}
	stream, _, err := websocket.DefaultDialer.Dial(${quoteForGo(parts.url)}, headers)
	if err == nil {
		err = stream.WriteMessage(websocket.TextMessage, []byte(request))
	}
	for err == nil {
		var frame []byte
		if _, frame, err = stream.ReadMessage(); err == nil {
			fmt.Println(string(frame))
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
`
}

function asRust(parts: FormParts): string {
  const key =
    parts.key === undefined ? 'std::env::var("PAIRWIRE_KEY")?' : `${quoteForRust(parts.key)}.to_string()`
  return `// cargo add tungstenite --features rustls-tls-webpki-roots
use tungstenite::{connect, Message};

const REQUEST: &str = ${quoteForRust(parts.request)};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let key = ${key};
    let address = ${quoteForRust(beforeKey(parts.url))}.to_string() + &key;
    let (mut stream, _) = connect(address)?;
    stream.send(Message::text(REQUEST))?;

    loop {
        if let Message::Text(frame) = stream.read()? {
            println!("{frame}");
        }
    }
}
`
}

function shellHeader({ key }: FormParts): string {
  return key === undefined ? '"X-API-KEY: $PAIRWIRE_KEY"' : quoteForShell(`X-API-KEY: ${key}`)
}

function beforeKey(url: string): string {
  return `${url}${url.includes('?') ? '&' : '?'}key=`
}
