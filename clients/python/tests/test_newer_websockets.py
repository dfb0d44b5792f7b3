"""The names of `websockets` 13 and newer, which need not be installed."""

import importlib.util
import sys
from types import ModuleType, SimpleNamespace

import pytest

import pairwire
from conftest import Reader, run


class InvalidStatus(Exception):
    """The newer exception has a response, the older one a status."""

    def __init__(self, status, body):
        super().__init__(f"server rejected WebSocket connection: HTTP {status}")
        self.response = SimpleNamespace(status_code=status, body=body)


@pytest.fixture
def newer(monkeypatch):
    """Loads the client with the newer names, and records how it connects."""
    connected = []

    async def connect(uri, *, open_timeout, ping_interval, close_timeout, compression, logger):
        connected.append(uri)
        if "refused" in uri:
            raise InvalidStatus(404, b"The stream is at the path / of this host.\n")
        if "elsewhere" in uri:
            raise InvalidStatus(404, f'{{"message":"Cannot GET {uri}"}}'.encode())
        if "proxy" in uri:
            raise InvalidStatus(404, b"\n<html><head><title>404 Not Found</title></head></html>")
        return await pairwire._connect(uri, logger=logger)

    module = ModuleType("websockets.asyncio.client")
    module.connect = connect
    monkeypatch.setitem(sys.modules, "websockets.asyncio", ModuleType("websockets.asyncio"))
    monkeypatch.setitem(sys.modules, "websockets.asyncio.client", module)
    spec = importlib.util.spec_from_file_location("pairwire_newer", pairwire.__file__)
    client = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(client)
    return client, connected


def test_reads_with_the_newer_connect_and_sends_its_version(newer, service):
    client, connected = newer
    before = service.swap()
    after = service.swap()

    async def story():
        async with client.Pairwire(service.url, service.key) as pairwire_:
            (event,) = await Reader(pairwire_.swaps(from_=before)).read()
            assert event["cursor"] == after

    run(story())
    assert len(connected) == 1
    assert f"client=pairwire-py%2F{client.__version__}&refusals=close&key={service.key}" in connected[0]


def test_reports_the_sentence_of_a_refused_upgrade(newer, service):
    client, _ = newer

    async def story():
        async with client.Pairwire(f"{service.url}/refused", service.key) as pairwire_:
            with pytest.raises(client.ConnectionError, match="^The stream is at the path / of this host.$") as caught:
                await Reader(pairwire_.swaps()).read()
            assert (caught.value.error_type, caught.value.code) == ("REFUSED", 404)

    run(story())


def test_puts_the_status_in_place_of_the_page_of_a_proxy(newer, service):
    client, _ = newer

    async def story():
        async with client.Pairwire(f"{service.url}/proxy", service.key) as pairwire_:
            with pytest.raises(client.ConnectionError, match=r"^The connection ended \(404\)\.$"):
                await Reader(pairwire_.swaps()).read()

    run(story())


def test_hides_the_key_in_an_answer_that_repeats_the_address(newer, service):
    client, _ = newer
    key = "not a/key"

    async def story():
        async with client.Pairwire(f"{service.url}/elsewhere", key) as pairwire_:
            with pytest.raises(client.ConnectionError, match="Cannot GET") as caught:
                await Reader(pairwire_.swaps()).read()
            assert not any(written in str(caught.value) for written in (key, "not+a%2Fkey", "not%20a%2Fkey"))

    run(story())
