"""The caller starts and controls the service under test: PAIRWIRE_URL, PAIRWIRE_KEY and, for `POST /fake/<verb>`,
PAIRWIRE_STEERING. PAIRWIRE_SERVICE is `fake` or `gateway`."""

import asyncio
import json
import os
import random
import urllib.request

import pytest

import pairwire


class Service:
    """Controls the service."""

    url, key = os.environ["PAIRWIRE_URL"], os.environ["PAIRWIRE_KEY"]
    is_fake = os.environ["PAIRWIRE_SERVICE"] == "fake"

    def __getattr__(self, verb):
        def act(*given):
            address = f"{os.environ['PAIRWIRE_STEERING']}/fake/{verb}"
            with urllib.request.urlopen(address, data=json.dumps(given).encode()) as answer:
                return json.load(answer)["result"]

        return act

    def swap(self, **change):
        return self.push({"swap": {"usdValue": 12_000, **change}})


def pytest_configure(config):
    config.addinivalue_line("markers", "fake_only: what only the fake server can be told to do")


def pytest_collection_modifyitems(config, items):
    left = [item for item in items if not Service.is_fake and item.get_closest_marker("fake_only")]
    config.hook.pytest_deselected(items=left)
    items[:] = [item for item in items if item not in left]


@pytest.fixture
def service():
    """Each test has a fresh gateway: one whose requests earlier tests have used up refuses thousands of retries."""
    service = Service()
    if not Service.is_fake:
        service.restart()
    return service


@pytest.fixture
def open_client(service, monkeypatch):
    """Makes clients of the service. Waits between retries take no time, since random() returns 0."""
    monkeypatch.setattr(random, "random", lambda: 0)

    def open_(**options):
        warnings, states = [], []
        given = {"url": service.url, "key": service.key, "on_warning": warnings.append,
                 "on_state": lambda state, why: states.append(state)}
        client = pairwire.Pairwire(**{**given, **options})
        client.warnings, client.states = warnings, states
        return client

    return open_


def run(story):
    """Runs an asynchronous test, for ten seconds at most."""
    return asyncio.run(asyncio.wait_for(story, 10))


async def until(condition):
    """Checks on each turn of the event loop."""
    while not condition():
        await asyncio.sleep(0.002)


class Reader:
    """Reads a stream in the background."""

    def __init__(self, items):
        self.items = items.__aiter__()

    def start(self, count=1):
        return asyncio.ensure_future(self.read(count))

    async def read(self, count=1):
        return [await self.items.__anext__() for _ in range(count)]
