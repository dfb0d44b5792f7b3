"""The client's promises, tested on the fake server and on the gateway."""

import asyncio
import json
from types import SimpleNamespace

import pytest

import pairwire
from conftest import Reader, run, until

fake_only = pytest.mark.fake_only  # what only the fake server can be told to do


async def subscribed(stream):
    await until(lambda: stream.stats()["connects"] > 0)


async def reading(stream, count=1):
    """Starts a reader that waits for its first items; returns both."""
    reader = Reader(stream)
    items = reader.start(count)
    await subscribed(stream)
    return reader, items


def waits_of(monkeypatch):
    """Records the client's waits between retries, which take no time."""
    waits, sleep = [], asyncio.sleep

    def pass_at_once(seconds):
        waits.append(seconds)
        return sleep(0)

    monkeypatch.setattr(pairwire, "asyncio", SimpleNamespace(**{**vars(asyncio), "sleep": pass_at_once}))
    return waits


def cursors(items):
    return [item["cursor"] for item in items]


def test_hands_out_events_in_order_each_with_its_cursor(service, open_client):
    async def story():
        async with open_client() as client:
            swaps = client.swaps()
            _, items = await reading(swaps, 3)
            pushed = [service.swap() for _ in range(3)]
            events = await items
            assert cursors(events) == pushed
            assert (events[0]["type"], events[0]["commitment"], events[0]["replay"]) == ("swap", "confirmed", False)
            assert "subscription_id" not in events[0]

    run(story())


def test_resumes_after_the_last_event_when_the_connection_breaks(service, open_client):
    async def story():
        async with open_client() as client:
            swaps = client.swaps()
            reader, items = await reading(swaps, 2)
            for _ in range(2):
                service.swap()
            await items
            service.cut()
            missed = [service.swap(), service.swap()]
            assert cursors(await reader.read(2)) == missed
            stats = swaps.stats()
            assert (stats["received"], stats["duplicates"], stats["gaps"], stats["connects"]) == (4, 0, 0, 2)
            assert client.states == ["connecting", "open", "waiting", "connecting", "open"]

    run(story())


def test_keeps_the_cursor_of_a_filter_that_matches_nothing_fresh(service, open_client):
    async def story():
        async with open_client() as client:
            pairs = client.new_pairs()
            _, items = await reading(pairs)
            service.swap()
            place = service.block()
            await until(lambda: pairs.cursor == place)
            service.forget()
            service.cut()
            service.push({"pair": {}})
            assert len(await items) == 1
            assert (pairs.stats()["gaps"], pairs.stats()["connects"]) == (0, 2)

    run(story())


def test_begins_now_without_a_place_also_beside_a_stream_that_resumes(service, open_client):
    async def story():
        async with open_client() as client:
            place = service.swap()
            missed = [service.swap(), service.swap()]
            service.block()
            blocks, pairs, swaps = client.blocks(), client.new_pairs(), client.swaps(from_=place)
            (_, block), (_, pair), (reader, swap) = await asyncio.gather(*map(reading, (blocks, pairs, swaps)))
            now = service.block()
            assert cursors(await block) == [now]
            assert cursors(await swap + await reader.read()) == missed
            reader.start(1)
            await until(lambda: pairs.cursor == now and swaps.cursor == now)
            service.push({"pair": {}})
            assert len(await pair) == 1
            assert [stream.stats()["gaps"] for stream in (blocks, pairs, swaps)] == [0, 0, 0]

    run(story())


def test_hands_out_each_block_once(service, open_client):
    async def story():
        async with open_client() as client:
            blocks, swaps = client.blocks(), client.swaps()
            reader, items = await reading(blocks)
            _, swap = await reading(swaps)
            first = service.block()
            service.swap()
            await swap
            service.cut()
            second = service.block()
            assert cursors(await items + await reader.read()) == [first, second]
            assert (blocks.stats()["duplicates"], blocks.stats()["gaps"]) == (0, 0)

    run(story())


def test_reports_a_gap_in_its_place_and_once_even_if_repeated(service, open_client):
    async def story():
        async with open_client() as client:
            swaps = client.swaps()
            reader, items = await reading(Items(swaps), 2)
            first = service.swap()
            service.gap()
            event, gap = await items
            service.cut()
            missed = service.swap()
            (after,) = await reader.read()
            assert [event["cursor"], after["cursor"]] == [first, missed]
            assert (gap["type"], gap["cause"], gap["resumeFrom"]) == ("gap", "upstream", None)
            assert swaps.stats()["gaps"] == 1

    run(story())


def test_loses_nothing_on_a_4008_and_reports_no_gap(service, open_client):
    async def story():
        async with open_client() as client:
            swaps = client.swaps()
            reader, items = await reading(swaps)
            first = service.swap()
            await items
            if service.is_fake:
                pushed = [service.swap()]
                service.gap({"cause": "slow_consumer", "resume_from": first})
                service.close(4008, "Your client read too slowly.")
                pushed.append(service.swap())
            else:
                pushed = service.outrun()
            assert cursors(await reader.read(len(pushed))) == pushed
            stats = swaps.stats()
            assert (stats["gaps"], stats["duplicates"], stats["connects"]) == (0, 0, 2)

    run(story())


@fake_only
def test_reports_a_gap_once_even_if_repeated_after_an_event(service, open_client):
    async def story():
        async with open_client() as client:
            swaps = client.swaps()
            reader, items = await reading(Items(swaps), 3)
            service.swap()
            service.gap()
            service.swap()
            await items
            service.gap()
            last = service.swap()
            assert cursors(await reader.read()) == [last]
            assert swaps.stats()["gaps"] == 1

    run(story())


class Items:
    """Reads every item of a stream, for `reading`."""

    def __init__(self, stream):
        self.stream = stream

    def __aiter__(self):
        return self.stream.items()

    def stats(self):
        return self.stream.stats()


def test_reports_the_gap_of_a_recording_that_starts_over_once_though_its_slots_are_older():
    place = pairwire._Place(True)
    gap = {"fromSlot": 100, "toSlot": 100, "cause": "deploy"}
    place.move("000000001-000000000900-000000-0000")
    assert place.is_new_gap(gap)
    assert not place.is_new_gap(gap)
    assert place.move("000000002-000000000101-000000-0000")


def test_calls_on_gap_in_order_and_warns_without_a_listener(service, open_client):
    async def story():
        told = []
        async with open_client() as client:
            pairs = client.new_pairs()
            swaps = client.swaps(on_gap=lambda gap: told.append(gap["cause"]))
            _, items = await reading(swaps, 2)
            _, pair = await reading(pairs)
            first = service.swap()
            service.gap()
            last = service.swap()
            service.push({"pair": {}})
            assert cursors(await items) == [first, last]
            await pair
            assert told == ["upstream"]
            assert len(client.warnings) == 1 and '"new_pairs" is missing events of slots' in client.warnings[0]

    run(story())


@pytest.mark.parametrize("refused", [0, 2])
def test_gets_what_it_missed_when_it_joins_an_open_connection(service, open_client, refused):
    async def story():
        async with open_client() as client:
            blocks = client.blocks()
            reader, items = await reading(blocks)
            place = service.swap()
            pushed = [service.swap(), service.swap()]
            first = service.block()
            assert cursors(await items) == [first]
            if service.is_fake and refused:
                service.refuse("TOO_MANY_REQUESTS", refused)
            assert cursors(await Reader(client.swaps(from_=place)).read(2)) == pushed
            second = service.block()
            assert cursors(await reader.read()) == [second]

    run(story())


@fake_only
def test_replaces_a_stream_even_if_the_service_is_too_busy_to_end_the_old_one(service, open_client):
    async def story():
        async with open_client() as client:
            old = client.swaps()
            await asyncio.gather(reading(client.blocks()), reading(old))
            service.refuse("TOO_MANY_REQUESTS")
            await old.close()
            _, items = await reading(client.swaps())
            place = service.swap()
            assert cursors(await items) == [place]

    run(story())


def test_replaces_a_stream_that_was_closed_before_its_answer(service, open_client):
    async def story():
        async with open_client() as client:
            await reading(client.blocks())
            old = client.swaps()
            left = Reader(old).start()
            await asyncio.sleep(0)  # it has subscribed
            await old.close()
            with pytest.raises(StopAsyncIteration):
                await left
            _, items = await reading(client.swaps())
            place = service.swap()
            assert cursors(await items) == [place]

    run(story())


def test_reports_what_is_no_longer_kept_and_continues(service, open_client):
    async def story():
        told = []
        async with open_client() as client:
            swaps = client.swaps(from_=service.swap(), on_gap=told.append)
            lost = service.swap()
            service.forget()
            _, items = await reading(swaps)
            after = service.swap()
            assert cursors(await items) == [after]
            assert [(gap["cause"], gap["toSlot"]) for gap in told] == [("too_old", int(lost.split("-")[1]))]

    run(story())


def test_ends_with_too_old_throw_when_the_cursor_is_no_longer_kept(service, open_client):
    async def story():
        async with open_client() as client:
            swaps = client.swaps(from_=service.swap(), too_old="throw")
            service.swap()
            service.forget()
            with pytest.raises(pairwire.CursorError) as caught:
                await Reader(swaps).read()
            assert (caught.value.error_type, caught.value.code) == ("CURSOR_TOO_OLD", -32014)

    run(story())


@pytest.mark.parametrize("place", ["", "latest"])
def test_ends_where_its_place_is_no_cursor_instead_of_beginning_now(service, open_client, place):
    async def story():
        service.swap()
        async with open_client() as client:
            with pytest.raises(pairwire.RequestError) as caught:
                await Reader(client.swaps(from_=place)).read()
            assert caught.value.error_type == "INVALID_CURSOR"

    run(story())


def test_changes_a_filter_and_keeps_it_when_the_connection_breaks(service, open_client):
    async def story():
        async with open_client() as client:
            swaps = client.swaps(include={"usdValue": 1})
            reader, items = await reading(swaps)
            await swaps.update(include={"usdValue": 5_000})
            service.swap()
            await items
            service.cut()
            service.swap()
            assert len(await reader.read()) == 1
            assert (swaps.stats()["duplicates"], swaps.stats()["gaps"]) == (0, 0)

    run(story())


@fake_only
def test_agrees_to_an_update_at_once_before_the_stream_is_read_and_subscribes_with_it(service, open_client):
    async def story():
        async with open_client() as client:
            swaps = client.swaps(include={"usdValue": 1})
            reader = Reader(swaps)
            await swaps.update(facts=True)
            assert client.state == "idle"
            items = reader.start()
            await subscribed(swaps)
            service.push({"swap": {}, "facts": {"marketCap": "1"}})
            assert "facts" in (await items)[0]

    run(story())


def test_answers_an_update_of_a_stream_that_is_full_whose_reader_may_be_waiting_for_it(service, open_client):
    async def story():
        async with open_client() as client:
            swaps = client.swaps(max_unread=2)
            reader, items = await reading(swaps)
            pushed = [service.swap() for _ in range(6)]
            await until(lambda: client.state == "resting")
            await swaps.update(include={"usdValue": 5_000})
            assert cursors(await items + await reader.read(5)) == pushed

    run(story())


@fake_only
def test_answers_an_update_of_a_full_stream_also_when_the_connection_breaks_before_the_answer(service, open_client):
    async def story():
        async with open_client() as client:
            swaps = client.swaps(max_unread=2)
            reader, items = await reading(swaps)
            pushed = [service.swap() for _ in range(6)]
            await until(lambda: client.state == "resting")
            service.hold()
            changing = asyncio.ensure_future(swaps.update(include={"usdValue": 5_000}))
            await until(lambda: client.state == "open")
            service.cut()
            service.release()
            await changing
            assert cursors(await items + await reader.read(5)) == pushed

    run(story())


@fake_only
def test_ends_an_update_at_once_when_no_retry_helps_also_while_events_are_unread(service, open_client):
    async def story():
        async with open_client() as client:
            swaps = client.swaps()
            reader, items = await reading(swaps)
            service.swap()
            service.swap()
            await items
            service.hold()
            changing = asyncio.ensure_future(swaps.update(include={"usdValue": 5_000}))
            await asyncio.sleep(0)
            service.close(4001, "The key was reset.")
            service.release()
            with pytest.raises(pairwire.KeyError):
                await changing
            assert len(await reader.read()) == 1
            with pytest.raises(pairwire.KeyError):
                await reader.read()

    run(story())


def test_rejects_an_update_with_the_sentence_of_the_service_and_keeps_the_old_filter(service, open_client):
    async def story():
        async with open_client() as client:
            swaps = client.swaps()
            _, items = await reading(swaps)
            if service.is_fake:
                service.refuse("INVALID_USD_VALUE")
            with pytest.raises(pairwire.RequestError) as caught:
                await swaps.update(include={"usdValue": "much"})
            assert caught.value.code == -32602
            assert "/errors/invalid-usd-value" in caught.value.docs
            service.swap()
            assert len(await items) == 1

    run(story())


def test_ends_every_stream_when_the_key_is_unknown_and_never_names_the_key(open_client):
    async def story():
        key = "f" * 32
        async with open_client(key=key) as client:
            swaps = client.swaps()
            with pytest.raises(pairwire.KeyError) as caught:
                await Reader(swaps).read()
            error = caught.value
            assert (error.error_type, error.code, error.come_back) == ("KEY_UNKNOWN", 4001, False)
            assert key not in f"{error!r} {error} {vars(error)} {error.__cause__!r} {error.__context__!r}"
            assert await swaps.closed() is error
            assert client.states == ["connecting", "open", "failed"]

    run(story())


def test_asks_for_another_key_before_it_gives_up(service, open_client):
    async def story():
        keys = ["f" * 32, service.key]

        async def next_key():
            return keys.pop(0)

        async with open_client(key=next_key) as client:
            _, items = await reading(client.swaps())
            service.swap()
            assert len(await items) == 1

    run(story())


def test_tries_again_when_the_function_that_gives_the_key_is_refused_by_another_service(service, open_client):
    class Refused(Exception):
        """As HTTP libraries raise."""

        response = SimpleNamespace(status_code=403)

    async def story():
        answers = [Refused("403 Forbidden"), service.key]

        def next_key():
            answer = answers.pop(0)
            if isinstance(answer, Exception):
                raise answer
            return answer

        whys = []
        async with open_client(key=next_key, on_state=lambda _, why: why and whys.append(why)) as client:
            _, items = await reading(client.swaps())
            service.swap()
            assert len(await items) == 1
            assert [(why.error_type, why.message, why.code) for why in whys] == [("LINE_LOST", "403 Forbidden", None)]

    run(story())


def test_keeps_its_position_across_a_restart_of_the_program(service, open_client, tmp_path):
    async def story():
        path = tmp_path / "cursors.json"
        options = {"name": "whales", "cursors": pairwire.FileCursors(path), "save_every_ms": 0}
        async with open_client() as client:
            swaps = client.swaps(**options)
            reader, items = await reading(swaps, 2)
            first, second = service.swap(), service.swap()
            assert cursors(await items) == [first, second]
            # The reader asks for no third event, so the second is not finished.
            assert json.loads(path.read_text()) == {"whales": first}
        async with open_client() as client:
            third = service.swap()
            assert cursors(await Reader(client.swaps(**options)).read(2)) == [second, third]

    run(story())


def test_stops_reading_at_max_unread_and_loses_nothing(service, open_client):
    async def story():
        async with open_client() as client:
            swaps = client.swaps(max_unread=2)
            reader, items = await reading(swaps)
            pushed = [service.swap() for _ in range(12)]
            await until(lambda: client.state == "resting")
            assert swaps.stats()["unread"] <= 2
            assert cursors(await items + await reader.read(11)) == pushed
            assert swaps.stats()["slowed_down"] > 0 and swaps.stats()["connects"] == 1

    run(story())


def test_ends_a_stream_when_its_loop_is_left(service, open_client):
    async def story():
        async with open_client() as client:
            swaps = client.swaps()

            async def read_one():
                async for _ in swaps:
                    break

            leaving = asyncio.ensure_future(read_one())
            await subscribed(swaps)
            service.swap()
            await leaving
            assert await swaps.closed() is None
            await until(lambda: client.state == "idle")
            client.swaps()  # another of its kind may follow

    run(story())


@fake_only
def test_reconnects_after_every_temporary_close(service, open_client):
    async def story():
        async with open_client() as client:
            swaps = client.swaps()
            reader, items = await reading(swaps)
            pushed = [service.swap()]
            got = cursors(await items)
            for code in (1000, 1001, 1011, 1012, 1013, 4008):
                service.close(code, "Come back.")
                pushed.append(service.swap())
                got += cursors(await reader.read())
            for refusal in (429, 500, 503):
                service.refuse(refusal)
                service.cut()
                pushed.append(service.swap())
                got += cursors(await reader.read())
            assert got == pushed
            assert swaps.stats()["duplicates"] == 0

    run(story())


@fake_only
@pytest.mark.parametrize(("code", "kind"), [
    (4000, "ConnectionError"), (4001, "KeyError"), (4003, "PlanError"), (4009, "ConnectionError"),
    (1003, "ConnectionError"), (1008, "ConnectionError"), (1009, "ConnectionError"),
])
def test_ends_at_a_close_that_no_retry_fixes(service, open_client, code, kind):
    async def story():
        async with open_client() as client:
            _, items = await reading(client.swaps())
            service.close(code, "The sentence.")
            with pytest.raises(getattr(pairwire, kind)) as caught:
                await items
            assert (caught.value.code, caught.value.message) == (code, "The sentence.")

    run(story())


@fake_only
def test_ends_one_stream_by_its_errors_and_the_others_continue(service, open_client):
    async def story():
        async with open_client() as client:
            _, pair = await reading(client.new_pairs())
            service.refuse("FILTER_REQUIRED")
            with pytest.raises(pairwire.PlanError):
                await Reader(client.swaps()).read()
            service.push({"pair": {}})
            assert len(await pair) == 1

    run(story())


@fake_only
def test_reports_a_gap_disconnected_where_nothing_can_be_resumed(service, open_client):
    async def story():
        async with open_client() as client:
            swaps = client.swaps(commitment="processed")
            reader, items = await reading(Items(swaps))
            service.push({"swap": {}, "slot": 1}, {"to": "processed"})
            (event,) = await items
            assert (event["cursor"], event["commitment"]) == (None, "processed")
            service.cut()
            await until(lambda: swaps.stats()["connects"] >= 2)
            service.push({"swap": {}}, {"to": "processed"})
            gap, after = await reader.read(2)
            assert (gap["cause"], after["type"]) == ("disconnected", "swap")
            assert gap["toSlot"] == max(after["slot"] - 1, gap["fromSlot"])
            service.push({"signatures": ["dead"]})
            assert (await reader.read())[0]["type"] == "slotDropped"

    run(story())


def test_reports_only_what_it_missed_itself_beside_old_blocks_that_another_stream_resumes_from():
    place, gaps = pairwire._Place(False), []
    for slot, old in ((90, 5), (94, 6), (98, 7)):
        place.pass_(None, old)
        gaps.append(place.gap_before({"type": "swap", "slot": slot}))
        place.pass_(None, old + 1)
        place.break_()
    assert [gap and (gap["fromSlot"], gap["toSlot"]) for gap in gaps] == [None, (90, 93), (94, 97)]


def test_reports_the_blocks_between_and_no_gap_before_the_next_one_without_cursors():
    place, gaps = pairwire._Place(True), []
    for block in (100, 101, 104):
        gaps.append(place.gap_before({"type": "block", "block": block}))
        place.break_()
    assert [gap and (gap["fromSlot"], gap["toSlot"]) for gap in gaps] == [None, None, (102, 103)]


@fake_only
def test_ends_a_playback_without_an_error(service, open_client):
    async def story():
        service.forget()
        async with open_client() as client:
            swaps = client.swaps(replay={"from": "2026-11-24T00:00:00Z"})
            assert all([event["replay"] async for event in swaps])
            assert await swaps.closed() is None

    run(story())


@fake_only
def test_detects_silence(service, open_client, monkeypatch):
    async def story():
        monkeypatch.setattr(pairwire, "_ANSWER_LIMIT_S", 0.1)
        async with open_client(quiet_ms=50) as client:
            swaps = client.swaps()
            _, items = await reading(swaps)
            service.hold()
            await until(lambda: "waiting" in client.states)
            monkeypatch.undo()  # a busy machine may be late
            service.release()
            await until(lambda: swaps.stats()["connects"] >= 2)
            service.swap()
            assert len(await items) == 1

    run(story())


@fake_only
@pytest.mark.parametrize("error_type", ["TOO_MANY_REQUESTS", "INTERNAL_ERROR", "CURSOR_AHEAD"])
def test_retries_temporary_errors(service, open_client, error_type):
    async def story():
        async with open_client() as client:
            service.refuse(error_type, 3)
            _, items = await reading(client.swaps())
            service.swap()
            assert len(await items) == 1
            assert client.warnings == []

    run(story())


@fake_only
def test_continues_with_new_events_when_the_cursor_is_of_another_service(service, open_client, monkeypatch):
    async def story():
        monkeypatch.setattr(pairwire, "_AHEAD_LIMIT_S", 0)
        place = service.swap()
        told = []
        async with open_client() as client:
            swaps = client.swaps(from_=f"9{place[1:]}", on_gap=told.append)
            _, items = await reading(swaps)
            service.swap()
            assert len(await items) == 1
            assert [gap["cause"] for gap in told] == ["too_old"]

    run(story())


@fake_only
def test_waits_for_a_free_connection_and_reports_why(service, open_client, monkeypatch):
    async def story():
        whys, waits = [], waits_of(monkeypatch)
        place = service.block()
        service.swap()
        service.refuse("limit", 2)
        async with open_client(on_state=lambda state, why: why and whys.append(why)) as client:
            assert len(await Reader(client.swaps(from_=place)).read()) == 1
            assert waits == [2, 2]
            assert [why.error_type for why in whys] == ["CONNECTION_LIMIT"] * 2
            assert whys[0].message == "All connections of your plan are in use." and whys[0].come_back

    run(story())


@fake_only
def test_backs_off_when_the_service_refuses_or_accepts_and_drops(service, open_client, monkeypatch):
    async def story():
        monkeypatch.setattr(pairwire.random, "random", lambda: 1)
        waits = waits_of(monkeypatch)
        place = service.block()
        service.swap()
        service.refuse(503, 4)
        async with open_client(retry_max_ms=3_000) as client:
            reader = Reader(client.swaps(from_=place))
            await reader.read()
            service.cut()
            service.swap()
            await reader.read()
            assert waits == [0.5, 1, 2, 3, 3]

    run(story())


def test_gives_up_a_connection_that_does_not_open_in_time(open_client):
    async def story():
        held = []  # or else Python 3.13 closes it
        silent = await asyncio.start_server(lambda *connection: held.append(connection), "127.0.0.1", 0)
        port = silent.sockets[0].getsockname()[1]
        whys = []
        options = {"url": f"ws://127.0.0.1:{port}", "connect_timeout_ms": 30}
        async with open_client(on_state=lambda _, why: whys.append(why), **options) as client:
            Reader(client.swaps()).start()
            await until(lambda: any(whys))
            why = next(filter(None, whys))
            assert (why.error_type, why.message) == ("LINE_LOST", "No connection within 0.03 s.")
        silent.close()

    run(story())


def test_names_the_stream_that_pauses_its_connection(service, open_client, monkeypatch):
    async def story():
        monkeypatch.setattr(pairwire, "_REST_WARNING_S", 0.01)
        async with open_client() as client:
            swaps = client.swaps(name="whales", max_unread=1)
            reader, items = await reading(swaps)  # a reader without a reference would be collected
            _, pair = await reading(client.new_pairs())
            pushed = [service.swap(), service.swap()]
            service.push({"pair": {}})
            assert cursors(await items) == pushed[:1]
            await until(lambda: client.warnings)
            assert client.warnings == ['The stream "whales" has been full for 0.01 s, so its connection is paused.']
            assert not pair.done()
            await swaps.close()
            assert len(await pair) == 1

    run(story())


def test_ends_with_what_on_gap_raises(service, open_client):
    async def fail(gap):
        raise ValueError(gap["cause"])

    async def story():
        async with open_client() as client:
            swaps = client.swaps(on_gap=fail)
            _, items = await reading(swaps)
            service.gap()
            with pytest.raises(ValueError, match="upstream") as caught:
                await items
            assert await swaps.closed() is caught.value

    run(story())


def test_ends_when_its_reading_task_ends(service, open_client):
    async def story():
        async with open_client() as client:
            swaps = client.swaps()
            _, items = await reading(swaps)
            items.cancel()
            assert await swaps.closed() is None
            with pytest.raises(pairwire.UsageError, match="has ended"):
                await swaps.update(include={"usdValue": 1})

    run(story())


def test_closing_is_not_held_up_by_a_store_that_hangs(service, open_client, monkeypatch):
    class Store:
        async def load(self, name):
            return None

        async def save(self, name, cursor):
            await asyncio.Event().wait()

    async def story():
        monkeypatch.setattr(pairwire, "_CLOSE_LIMIT_S", 0.03)
        async with open_client() as client:
            reader, items = await reading(client.swaps(cursors=Store()))
            service.swap()
            await items
            next_items = reader.start()
            await asyncio.sleep(0)
            await client.close()
            assert client.state == "idle"
            next_items.cancel()

    run(story())


def test_continues_when_on_state_raises(service, open_client):
    def fail(state, why):
        raise ValueError(state)

    async def story():
        told = []
        asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(str(context["exception"])))
        async with open_client(on_state=fail) as client:
            _, items = await reading(client.swaps())
            service.swap()
            assert len(await items) == 1
        assert told[:2] == ["connecting", "open"]

    run(story())


@fake_only
def test_continues_when_on_warning_raises(service, open_client):
    def fail(sentence):
        raise ValueError(sentence)

    async def story():
        told = []
        asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(str(context["exception"])))
        service.refuse(503)
        async with open_client(on_state=None, on_warning=fail) as client:
            _, items = await reading(client.swaps())
            service.swap()
            assert len(await items) == 1
        assert [sentence[:26] for sentence in told] == ["The connection is waiting:"]

    run(story())


def test_is_read_in_one_event_loop_after_the_other(service, open_client):
    client = open_client()

    async def story():
        swaps = client.swaps(max_unread=2)
        reader, items = await reading(swaps)
        pushed = [service.swap() for _ in range(6)]
        await until(lambda: client.state == "resting")
        assert cursors(await items + await reader.read(5)) == pushed
        assert swaps.stats()["connects"] == 1
        await client.close()

    run(story())
    run(story())


def test_ends_when_its_task_is_cancelled_at_the_moment_its_cursor_is_saved(service, open_client):
    class Store:
        def load(self, name):
            return None

        async def save(self, name, cursor):
            asyncio.get_running_loop().call_soon(self.task.cancel)

    async def story():
        store = Store()
        async with open_client() as client:
            swaps = client.swaps(cursors=store, save_every_ms=0)
            _, store.task = await reading(swaps, 3)
            pushed = [service.swap() for _ in range(3)]
            await asyncio.wait({store.task})
            assert store.task.cancelled() and swaps.cursor == pushed[0]

    run(story())


def test_leaves_no_connection_behind_when_it_is_closed_at_the_moment_it_opens(service, open_client, monkeypatch):
    async def story():
        opened, connect = [], pairwire._connect

        async def connect_and_close(*given, **options):
            opened.append(await connect(*given, **options))
            asyncio.get_running_loop().call_soon(asyncio.ensure_future, swaps.close())
            return opened[0]

        monkeypatch.setattr(pairwire, "_connect", connect_and_close)
        async with open_client() as client:
            swaps = client.swaps()
            Reader(swaps).start()
            await until(lambda: opened)
            await opened[0].wait_closed()
            await until(lambda: client.state == "idle")
            monkeypatch.undo()
            _, items = await reading(client.swaps())
            place = service.swap()
            assert cursors(await items) == [place]

    run(story())


def test_never_logs_the_key(service, open_client, caplog):
    async def story():
        async with open_client() as client:
            reader, items = await reading(client.swaps())
            service.swap()
            await items
            service.cut()
            service.swap()
            await reader.read()

    caplog.set_level("DEBUG")
    run(story())
    assert service.key not in caplog.text


@pytest.mark.parametrize("seed", range(5))
def test_loses_and_repeats_nothing_however_often_the_connection_breaks(service, open_client, monkeypatch, seed):
    async def story():
        monkeypatch.setattr(pairwire.random, "random", lambda: 0.02)  # requests sent too often are retried later
        chance = pairwire.random.Random(seed)
        async with open_client() as client:
            streams = {"swap": client.swaps(max_unread=3), "pair": client.new_pairs(), "block": client.blocks()}
            readers = {kind: Reader(stream) for kind, stream in streams.items()}
            got = {kind: [] for kind in streams}
            pushed = {kind: [] for kind in streams}
            cuts = 0

            async def read(kind):
                while True:
                    got[kind] += cursors(await readers[kind].read())
                    await asyncio.sleep(0.001 * chance.randrange(3))

            reading_all = [asyncio.ensure_future(read(kind)) for kind in streams]
            await asyncio.gather(*(subscribed(stream) for stream in streams.values()))
            pushed["block"].append(service.block())
            await until(lambda: all(stream.cursor for kind, stream in streams.items() if kind != "block"))
            for _ in range(60):
                what = chance.choice(["swap", "swap", "swap", "pair", "block", "cut"])
                if what == "cut":
                    service.cut()
                    cuts += 1
                else:
                    verb, given = ("block", ()) if what == "block" else ("push", ({what: {}},))
                    pushed[what].append(await asyncio.to_thread(getattr(service, verb), *given))
                await asyncio.sleep(0.001 * chance.randrange(3))
            await until(lambda: all(len(got[kind]) >= len(pushed[kind]) for kind in streams))
            assert got == pushed
            assert cuts > 0 and streams["swap"].stats()["connects"] > 1
            assert all(stream.stats()["gaps"] == 0 for stream in streams.values())
            for task in reading_all:
                task.cancel()

    run(story())


def test_has_one_reader_and_one_stream_of_a_kind(open_client):
    async def story():
        async with open_client() as client:
            swaps = client.swaps()
            swaps.items()
            with pytest.raises(pairwire.UsageError, match="has a reader"):
                swaps.items()
            for params in ({}, {"commitment": "confirmed"}):
                with pytest.raises(pairwire.RequestError, match=r"update\(\)"):
                    client.swaps(**params)
            client.swaps(commitment="processed")

    run(story())


def test_ends_with_break_so_that_another_of_its_kind_can_follow_at_once(service, open_client):
    async def story():
        async with open_client() as client:
            before, pushed = service.swap(), service.swap()
            for _ in range(3):
                async for event in client.swaps(from_=before):
                    assert event["cursor"] == pushed
                    break
            assert client.warnings == []

    run(story())


@pytest.mark.parametrize(("variable", "error_type"), [("PAIRWIRE_URL", "NO_URL"), ("PAIRWIRE_KEY", "NO_KEY")])
def test_says_what_is_missing_to_connect(monkeypatch, variable, error_type):
    monkeypatch.delenv(variable)
    with pytest.raises(pairwire.UsageError) as caught:
        pairwire.Pairwire()
    assert caught.value.error_type == error_type


@pytest.mark.parametrize(("given", "error_type"), [({"url": ""}, "NO_URL"), ({"key": ""}, "NO_KEY")])
def test_takes_nothing_from_the_environment_in_place_of_an_empty_text(given, error_type):
    with pytest.raises(pairwire.UsageError) as caught:
        pairwire.Pairwire(**given)
    assert caught.value.error_type == error_type


def test_ends_when_its_cursors_cannot_be_read(open_client, tmp_path):
    async def story():
        path = tmp_path / "cursors.json"
        path.write_text("[1]")
        async with open_client() as client:
            with pytest.raises(pairwire.UsageError, match="is not a file of cursors") as caught:
                await Reader(client.swaps(cursors=pairwire.FileCursors(path))).read()
            assert caught.value.error_type == "CURSORS_UNREADABLE"

    run(story())


def test_warns_of_a_store_that_fails_and_tries_again(service, open_client):
    class Store:
        saved = []

        def load(self, name):
            return None

        def save(self, name, cursor):
            if not self.saved:
                self.saved.append("failed")
                raise OSError("the disk is full")
            self.saved.append(cursor)

    async def story():
        async with open_client() as client:
            reader, items = await reading(client.swaps(cursors=Store(), save_every_ms=1))
            pushed = service.swap()
            await items
            reader.start()
            await until(lambda: pushed in Store.saved)
            assert "could not be saved: the disk is full" in client.warnings[0]

    run(story())
