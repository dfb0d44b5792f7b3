"""Writes every swap as a line of JSON to a file per hour. After a crash it resumes from the last line."""

import asyncio
import json
import os
import sys
import time
from pathlib import Path

from pairwire import Pairwire

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "swaps")


def last_cursor():
    """Returns the cursor of the last complete line, and removes an incomplete one that a crash left after it."""
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
    async with Pairwire() as pairwire:  # address and key come from PAIRWIRE_URL and PAIRWIRE_KEY
        async for event in pairwire.swaps(from_=last_cursor(), on_gap=lambda gap: print(gap, file=sys.stderr)):
            hour = time.strftime("%Y%m%d-%H", time.gmtime(event["blockTime"]))
            if path != folder / f"{hour}.ndjson":
                path = folder / f"{hour}.ndjson"
                file = path.open("a")
            file.write(json.dumps(event) + "\n")
            file.flush()


asyncio.run(main())
