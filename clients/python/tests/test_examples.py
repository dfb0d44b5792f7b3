"""The examples, unchanged: they print and write the published events."""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

FOLDER = Path(__file__).parent.parent


def start(name, folder, *given):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUNBUFFERED": "1"}
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


def test_whale_alert_skips_nothing_when_it_is_killed(service, tmp_path):
    (tmp_path / "cursors.json").write_text(json.dumps({"whales": service.swap()}))
    values = [str(10_000 + number) for number in range(8)]
    for value in values:
        service.swap(usdValue=int(value))

    program = start("whale_alert.py", tmp_path)
    before = [program.stdout.readline().split(" ")[1] for _ in range(3)]
    program.kill()
    program.communicate()
    program = start("whale_alert.py", tmp_path)
    after = []
    while after[-1:] != values[-1:]:
        after.append(program.stdout.readline().split(" ")[1])
    program.kill()
    program.communicate()

    assert before == values[:3]
    # Events printed since the last save are repeated.
    assert after == values[-len(after):] and len(after) >= 5


def test_the_program_of_the_readme_prints_what_was_published(service, tmp_path):
    (text,) = re.findall(r"```py\n(.*?)```", (FOLDER / "README.md").read_text(), re.DOTALL)
    program_text = text.replace('"wss://stream.example", "your key"', f'"{service.url}", "{service.key}"')
    assert program_text != text
    (tmp_path / "readme.py").write_text(program_text)
    (tmp_path / "cursors.json").write_text(json.dumps({"whales": service.swap()}))
    service.swap(usdValue=10_001)

    program = start(tmp_path / "readme.py", tmp_path)
    line = program.stdout.readline()
    program.kill()
    program.communicate()

    assert line.startswith("buy 10001 ")


def test_record_resumes_after_a_crash_without_gaps_or_duplicates(service, tmp_path):
    before = service.swap()
    # A crash leaves a complete line and part of another.
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
    """Reads the events of complete lines, in the order of the files."""
    paths = sorted(folder.glob("*.ndjson"))[1:]
    return [json.loads(line) for path in paths for line in path.read_text().splitlines(True) if line[-1] == "\n"]
