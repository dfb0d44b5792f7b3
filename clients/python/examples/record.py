"""Writes every swap to a file of its hour, a line of JSON each. The last line says where to go on after a crash."""

import asyncio
import json
import os
import sys
import time
from pathlib import Path

from pairwire import Pairwire

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "swaps")


def last_cursor():
    """The cursor of the last whole line. What a crash left behind it is cut off."""
    for path in sorted(folder.glob("*.ndjson"), reverse=True):
        text = path.read_bytes()
        whole = text[: text.rfind(b"\n") + 1]
        os.truncate(path, len(whole))
        if whole:
            return json.loads(whole.splitlines()[-1])["cursor"]
    return None


async def main():
    folder.mkdir(parents=True, exist_ok=True)
    path = file = None
    async with Pairwire() as pairwire:  # the service and the key are PAIRWIRE_URL and PAIRWIRE_KEY
        async for event in pairwire.swaps(from_=last_cursor(), on_gap=lambda gap: print(gap, file=sys.stderr)):
            hour = time.strftime("%Y%m%d-%H", time.gmtime(event["blockTime"]))
            if path != folder / f"{hour}.ndjson":
                path = folder / f"{hour}.ndjson"
                file = path.open("a")
            file.write(json.dumps(event) + "\n")
            file.flush()


asyncio.run(main())
