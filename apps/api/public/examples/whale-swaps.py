# pip install websockets
import asyncio
import json
import os

import websockets

key = os.environ["PAIRWIRE_KEY"]

request = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "swapSubscribe",
    "params": {"include": {"usdValue": 10_000}},
}


async def main():
    async with websockets.connect(f"ws://localhost:8080/?key={key}") as stream:
        await stream.send(json.dumps(request))
        async for frame in stream:
            message = json.loads(frame)
            if "error" in message:
                print(message["error"]["message"], flush=True)
            if message.get("method") != "swapNotification":
                continue

            swap = message["params"]["swap"]
            print(swap["swapType"], swap["usdValue"], swap["baseTokenMint"],
                  swap["walletAccount"], flush=True)


asyncio.run(main())
