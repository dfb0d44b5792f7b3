"""The examples as they stand: what they print and write is what was published."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

FOLDER = Path(__file__).parent.parent


def start(name, folder, *given):
    environment = {**os.environ, "PYTHONPATH": str(FOLDER)}
    command = [sys.executable, "-B", FOLDER / "examples" / name, *given]
    return subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)


def test_whale_alert_prints_what_was_published(service, tmp_path):
    before = service.swap()
    (tmp_path / "cursors.json").write_text(json.dumps({"whales": before}))
    for value in (10_001, 10_002, 10_003):
        service.swap(usdValue=value)

    program = start("whale_alert.py", tmp_path)
    lines = [program.stdout.readline().split(" ") for _ in range(3)]
    program.kill()
    program.communicate()

    assert [line[:2] for line in lines] == [["buy", "10001"], ["buy", "10002"], ["buy", "10003"]]
    assert all(len(line) == 4 for line in lines)


def test_record_goes_on_after_a_crash_without_a_hole_and_writes_nothing_twice(service, tmp_path):
    before = service.swap()
    # What a crash leaves: a whole line and a part of one.
    (tmp_path / "19700101-00.ndjson").write_text(json.dumps({"cursor": before}) + '\n{"type": "sw')
    pushed = []
    for count in (3, 2):
        pushed += [service.swap() for _ in range(count)]
        program = start("record.py", tmp_path, tmp_path)
        while len(recorded(tmp_path)) < len(pushed):
            assert program.poll() is None
            time.sleep(0.01)
        program.kill()
        program.communicate()

    assert (tmp_path / "19700101-00.ndjson").read_text() == json.dumps({"cursor": before}) + "\n"
    assert [event["cursor"] for event in recorded(tmp_path)] == pushed
    assert {event["type"] for event in recorded(tmp_path)} == {"swap"}


def recorded(folder):
    """The events of whole lines, in the order of the files."""
    paths = sorted(folder.glob("*.ndjson"))[1:]
    return [json.loads(line) for path in paths for line in path.read_text().splitlines(True) if line[-1] == "\n"]
