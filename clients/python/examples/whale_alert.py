"""Prints swaps of 10,000 US dollars and more. After a restart it resumes where it stopped."""

import asyncio
import sys

from pairwire import FileCursors, Pairwire


def warn(gap):
    print("missing", gap["fromSlot"], gap["toSlot"], gap["cause"], file=sys.stderr)


async def main():
    async with Pairwire() as pairwire:  # address and key come from PAIRWIRE_URL and PAIRWIRE_KEY
        whales = pairwire.swaps(
            include={"usdValue": 10_000}, name="whales", cursors=FileCursors("cursors.json"), on_gap=warn
        )
        async for event in whales:
            swap = event["swap"]
            print(swap["swapType"], swap["usdValue"], swap["baseTokenMint"], event["signature"], flush=True)


asyncio.run(main())
