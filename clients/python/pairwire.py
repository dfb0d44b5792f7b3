"""Live Solana pairs and swaps for programs: reconnects by itself, resumes where it stopped, hands out each event once
and in order, reports what is missing, and keeps its position across restarts of the program."""

import asyncio
import inspect
import json
import logging
import os
import random
import re
import threading
import weakref
from collections import deque
from contextlib import suppress
from functools import partial
from time import monotonic as _now
from types import SimpleNamespace
from urllib.parse import parse_qsl, quote_plus, urlencode, urlsplit, urlunsplit

try:
    from websockets.asyncio.client import connect as _connect
except ImportError:  # older than 13
    from websockets import connect as _connect

__version__ = "0.2.0"
_log = logging.getLogger("pairwire")
_silent = logging.getLogger("pairwire.websockets")  # the library writes the address, with the key, to its log
_silent.disabled = True

_ANSWER_LIMIT_S = 10  # for the answer to a request or a ping
_STABLE_AFTER_S = 10  # that a connection must last to reset the retry count: protects a service that accepts and drops
_AHEAD_LIMIT_S = 30  # during which a cursor ahead of the service is retried
_REST_WARNING_S = 10  # that a stream may pause the connection before a warning names it
_STORE_LIMIT_S = 10  # that a store of cursors may take
_CLOSE_LIMIT_S = 2  # that closing may take: a store that hangs does not hold up the program
_TOO_OLD = -32014
_PASSING = (-32029, -32603)  # too many requests, and internal errors: retried unchanged


class PairwireError(Exception):
    """An error of the client: the service's sentence, with a type and code for programs. It never contains the key."""

    def __init__(self, error_type, message, *, code=None, docs="", come_back=False, cause=None):
        super().__init__(message)
        self.message, self.error_type, self.code = message, error_type, code
        self.docs, self.come_back, self.__cause__ = docs, come_back, cause


class KeyError(PairwireError):  # noqa: A001 as in every client of the service
    """The key is unknown, was reset, or may not do this."""


class PlanError(PairwireError):
    """The plan has ended, is used up, or does not allow this."""


class RequestError(PairwireError):
    """The request is invalid, or duplicates a subscription."""


class CursorError(PairwireError):
    """The events after the cursor are no longer kept, or the stream has not reached it."""


class ConnectionError(PairwireError):  # noqa: A001
    """The connection failed or was closed."""


class UsageError(PairwireError):
    """The client was used in a way that cannot work."""


_CLASSES = {
    **dict.fromkeys((401, 4001), KeyError),
    **dict.fromkeys((403, 4003, -32011, -32012, -32013, -32015), PlanError),
    **dict.fromkeys((-32010, -32600, -32601, -32602, -32700), RequestError),
    _TOO_OLD: CursorError,
}
_ENDINGS = {  # by close code or HTTP status; any other means a lost connection
    **dict.fromkeys((400, 404, 426), "REFUSED"), 401: "KEY_UNKNOWN", 403: "NO_PLAN", 1001: "RESTART", 1003: "BINARY",
    1008: "TOO_MANY_FRAGMENTS", 1009: "TOO_BIG", 4000: "MALFORMED", 4001: "KEY_UNKNOWN", 4003: "NO_PLAN",
    4008: "SLOW_CONSUMER", 4009: "DISCONNECTED", 4029: "CONNECTION_LIMIT",
}
_HEALS = ("LINE_LOST", "RESTART", "SLOW_CONSUMER", "CONNECTION_LIMIT")
_CLOSED_CODES = {"FILTER_REQUIRED": -32011, "FILTER_TOO_LARGE": -32012, "PLAN_USED_UP": -32013, "NO_ORDER": -32015}
_EVENTS = {"swapNotification": "swap", "newPairNotification": "newPair", "latestBlockNotification": "block"}
_BESIDE = {"pairUpdateNotification": "pairUpdate", "slotDroppedNotification": "slotDropped"}
_LISTENERS = {"gap": "on_gap", "pairUpdate": "on_pair_update", "slotDropped": "on_slot_dropped"}


class FileCursors:
    """Keeps the cursors of streams in a JSON file, by name; one file serves many streams. Each save writes a new file
    and renames it, so a crash leaves either the old or the new one. Only one process at a time may use it."""

    _writing = threading.Lock()

    def __init__(self, path):
        self._path = os.fspath(path)

    async def load(self, name):
        """Returns the cursor stored under a name, or None. Raises ValueError for a file that holds anything else."""
        return (await asyncio.to_thread(self._read)).get(name)

    async def save(self, name, cursor):
        """Stores a cursor under a name."""
        await asyncio.to_thread(self._write, name, cursor)

    def _read(self):
        try:
            with open(self._path, encoding="utf-8") as file:
                cursors = json.load(file)
        except FileNotFoundError:
            return {}
        except ValueError:
            cursors = None
        if isinstance(cursors, dict) and all(isinstance(cursor, str) for cursor in cursors.values()):
            return cursors
        raise ValueError(f"{self._path} is not a file of cursors. Move it away to start over.")

    def _write(self, name, cursor):
        with self._writing:
            cursors = {**self._read(), name: cursor}
            with open(f"{self._path}.new", "w", encoding="utf-8") as file:
                file.write(json.dumps(cursors, indent=2) + "\n")
                file.flush()
                os.fsync(file.fileno())
            os.replace(f"{self._path}.new", self._path)


class Pairwire:
    """The streams of one service, for one key. It connects when the first stream is read.

    `url` and `key` default to the variables PAIRWIRE_URL and PAIRWIRE_KEY; `key` may be a function, called at every
    connect. Raises UsageError (NO_URL, NO_KEY). Use it with `async with`, or call `close`."""

    def __init__(self, url=None, key=None, *, connect_timeout_ms=10_000, retry_first_ms=500, retry_max_ms=30_000,
                 quiet_ms=15_000, on_state=None, on_warning=None):
        times = dict(connect_timeout_ms=connect_timeout_ms, retry_first_ms=retry_first_ms, retry_max_ms=retry_max_ms,
                     quiet_ms=quiet_ms)
        for name, value in times.items():
            if not value > 0:
                raise ValueError(f"{name} must be a number of milliseconds above 0.")
        scheme, _, rest = (os.environ.get("PAIRWIRE_URL", "") if url is None else url).partition("://")
        self._docs = "/docs"
        if scheme.lower() not in ("ws", "wss", "http", "https") or not rest:  # not repeated: it may hold a key
            raise self._usage("NO_URL", "There is no address of a service: pass Pairwire(url), or set PAIRWIRE_URL.")
        self._url = urlsplit(f"{'wss' if scheme.lower() in ('wss', 'https') else 'ws'}://{rest}")
        self._docs = f"{self._url.scheme.replace('ws', 'http')}://{self._url.netloc}/docs"
        self._key = os.environ.get("PAIRWIRE_KEY") if key is None else key
        if not self._key:
            raise self._usage("NO_KEY", "There is no API key: pass Pairwire(key=...), or set PAIRWIRE_KEY.")
        self._times = {name.removesuffix("_ms"): value / 1000 for name, value in times.items()}
        self._on_state, self._warn = on_state, on_warning or _log.warning
        self._lines, self._streams = {}, {}
        self.state, self._last_reason = "idle", ""  # the state of the connection that changed last

    def swaps(self, **given):
        """Makes a stream of swaps. Arguments other than `Stream`'s options are params that the service validates, as
        `include={"usdValue": 10_000}`. Raises RequestError (ALREADY_SUBSCRIBED) for a second of a kind and commitment."""
        return self._open("swap", "swaps", given)

    def new_pairs(self, **given):
        """Makes a stream of new pairs. Raises as `swaps` does."""
        return self._open("newPair", "new_pairs", given)

    def blocks(self, **given):
        """Makes a stream of blocks. Raises as `swaps` does."""
        return self._open("latestBlock", "blocks", given)

    async def close(self):
        """Saves the cursors and ends every stream, within two seconds."""
        closing = asyncio.gather(*(stream.close() for stream in list(self._streams.values())), return_exceptions=True)
        with suppress(asyncio.TimeoutError):
            await _within(_CLOSE_LIMIT_S, closing)

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        await self.close()

    def _open(self, kind, name, given):
        hours = json.dumps(given.get("replay"))
        place = (kind, given.get("commitment") or "confirmed", hours)
        left = self._streams.get(place)
        if left and left in left._line._members and not left._reader():  # by a break, which Python tells it only later
            left._conclude(None)
        if place in self._streams:
            message = f"There is a stream of {name} already. Change its filter with update(), or close it."
            raise RequestError("ALREADY_SUBSCRIBED", message, code=-32010, docs=self._page("ALREADY_SUBSCRIBED"))
        options = {option: given.pop(option) for option in Stream._OPTIONS if option in given}
        line = self._lines.setdefault(hours, _Line(self, given.get("replay")))
        stream = Stream(self, line, kind, given, lambda: self._streams.pop(place), **{"name": name, **options})
        self._streams[place] = stream
        return stream

    def _note_state(self, state, why):
        self.state = state
        # Both are called by the loop, which reports what they raise, so the connection continues.
        if self._on_state:
            asyncio.get_running_loop().call_soon(self._on_state, state, why)
        elif why and why.come_back and why.message != self._last_reason:
            self._last_reason = why.message
            asyncio.get_running_loop().call_soon(self._warn, f"The connection is {state}: {why.message}")

    def _page(self, error_type):
        return f"{self._docs}/errors/{error_type.lower().replace('_', '-')}"

    def _usage(self, error_type, message, cause=None):
        return UsageError(error_type, message, docs=self._page(error_type), cause=cause)

    def _error(self, code, error_type, message, docs=None, **facts):
        docs = docs or self._page(error_type)
        return _CLASSES.get(code, ConnectionError)(error_type, message, code=code, docs=docs, **facts)

    def _answer_error(self, error):
        data, code = error.get("data") or {}, error["code"]
        return self._error(code, data.get("errorType", "REQUEST_FAILED"), error["message"], data.get("docs"),
                           come_back=code in _PASSING)

    def _lost(self, message, cause=None):
        return ConnectionError("LINE_LOST", message, docs=self._page("LINE_LOST"), come_back=True, cause=cause)

    def _ending(self, thrown, key):
        """Makes the error of a connection that ended; the library's own error and an answer may contain the address."""
        close, response = getattr(thrown, "rcvd", None), getattr(thrown, "response", None)
        status = getattr(response, "status_code", None) or getattr(thrown, "status_code", None)
        code = status or (close.code if close else None)
        told = close.reason if close else (getattr(response, "body", None) or b"").decode(errors="replace")
        texts = (told.strip(), str(thrown) or type(thrown).__name__)
        told, text = (one.replace(key, "*").replace(quote_plus(key), "*") if key else one for one in texts)
        if code is None or key is None:  # no key yet: its function raised this, perhaps an answer of another service
            return self._lost(text, Exception(text))
        error_type = _ENDINGS.get(code, "LINE_LOST")
        has_sentence = told[:1] not in ("", "<")  # the page of a proxy tells nobody more than its status
        message = told[:300] if has_sentence else f"The connection ended ({code})."
        return self._error(code, error_type, message, come_back=error_type in _HEALS, cause=Exception(text))


class Stream:
    """A stream of events of one kind, in order, each once, across reconnects. It has one reader: `async for` over it
    gives the events, over `items()` every item. Listeners are awaited if they return an awaitable.

    Options: `name` and `cursors` say where its cursor is stored across restarts, `from_` the cursor to begin after
    if none is stored (by default it begins now), `save_every_ms` how often to save (0: before the next event),
    `max_unread` how many items to receive ahead, `too_old` whether to `gap` or `throw` if its cursor is gone."""

    _OPTIONS = ("name", "cursors", "from_", "save_every_ms", "max_unread", "when_full", "too_old", *_LISTENERS.values())

    def __init__(self, pairwire, line, kind, params, ended, *, name, cursors=None, from_=None, save_every_ms=1_000,
                 max_unread=10_000, when_full="pause", too_old="gap", **listeners):
        for option, value, least in (("max_unread", max_unread, 1), ("save_every_ms", save_every_ms, 0)):
            if not isinstance(value, int) or value < least:
                raise ValueError(f"{option} must be a whole number from {least} on.")
        for option, value, choices in (("when_full", when_full, ["pause"]), ("too_old", too_old, ["gap", "throw"])):
            if value not in choices:
                raise ValueError(f"{option} must be one of {', '.join(choices)}.")
        self.kind, self.name = kind, name
        self._pairwire, self._line, self._ended = pairwire, line, ended
        self._agreed, self._updates = params, deque()
        self._kept = {name: params[name] for name in ("commitment", "replay") if name in params}
        self._keeper = _Keeper(cursors, name, save_every_ms, pairwire._warn) if cursors else None
        self._from, self._max_unread, self._too_old, self._listeners = from_, max_unread, too_old, listeners
        self._place = _Place(is_placed=params.get("commitment") != "processed")
        self._unread, self._woken, self._over = deque(), asyncio.Event(), asyncio.Event()
        self._is_busy = self._is_full = self._is_asked = False
        self._ending = self._error = self._reader = None
        self._stats = dict.fromkeys(("received", "delivered", "duplicates", "gaps", "connects", "slowed_down"), 0)
        self.cursor = None  # the cursor of the last event that its reader has finished

    def __aiter__(self):
        return self._iterate(False)

    def items(self):
        """Reads every item, each with its `type`. Raises UsageError (ALREADY_READ)."""
        return self._iterate(True)

    def stats(self):
        """Returns the counts of the stream since it was made."""
        return {**self._stats, "unread": len(self._unread)}

    async def update(self, **params):
        """Changes the filter; returns once in force, before reading at once. If refused, raises and keeps the old."""
        settled = asyncio.get_running_loop().create_future()
        self._updates.append((params, settled))
        if self._over.is_set() or self._ending:
            self._end(None)
        elif len(self._updates) == 1:
            self._line.update(self)
        await settled

    async def closed(self):
        """Waits for its end, and returns the error that ended it, or None."""
        self._is_asked = True
        await self._over.wait()
        return self._error

    async def close(self):
        """Ends it at once: unread items are neither handed out nor saved. Returns when its cursor is saved."""
        self._conclude(self._ending[0] if self._ending else None)
        if self._keeper:
            await self._keeper.close()

    def _iterate(self, everything):
        if self._reader:
            raise self._pairwire._usage("ALREADY_READ", "This stream has a reader: iterate it once.")
        reader = self._read(everything)
        self._reader = weakref.ref(reader)
        return reader

    async def _read(self, everything):
        try:
            await self._begin()
            while not self._over.is_set():
                if self._keeper and not self._keeper.every_s:
                    await self._keeper.flush()
                if self._unread:
                    item, place = self._take()
                    is_event = "cursor" in item
                    self._stats["delivered"] += is_event
                    if not is_event:
                        await self._tell(item, everything)
                    if is_event or everything:
                        yield item
                    self._is_busy = False
                    if place:
                        self._finish(place)
                elif self._ending:
                    break
                elif not self._over.is_set():
                    self._woken.clear()
                    await self._woken.wait()
            if self._ending and self._ending[0] and not self._over.is_set():
                raise self._ending[0]
        except Exception as error:
            self._conclude(error, is_told=True)
            raise
        finally:
            await self.close()

    async def _begin(self):
        try:
            place = await self._keeper.load() if self._keeper else None
        except Exception as error:
            message = f"The cursor of this stream could not be loaded. {error}"
            raise self._pairwire._usage("CURSORS_UNREADABLE", message, error)
        if not self._over.is_set():
            self.cursor = self._place.cursor = self._from if place is None else place
            self._line.join(self)

    def _take(self):
        taken, self._is_busy = self._unread.popleft(), True
        if self._is_full and len(self._unread) <= self._max_unread / 2:
            self._is_full = False
            self._line.drained(self)
        return taken

    def _finish(self, place):
        if not self._over.is_set():
            self.cursor = place
            if self._keeper:
                self._keeper.note(place)

    async def _tell(self, item, everything):
        listener, told = self._listeners.get(_LISTENERS[item["type"]]), f'The stream "{self.name}"'
        if listener:
            await _waited_for(listener(item))
        elif item["type"] == "gap" and not everything:
            first, last = ("?" if item[end] is None else item[end] for end in ("fromSlot", "toSlot"))
            self._pairwire._warn(f"{told} is missing events of slots {first} to {last} ({item['cause']}).")
        elif item["type"] == "slotDropped" and not everything:
            count, slot = len(item["signatures"]), item["slot"]
            self._pairwire._warn(f"{told} sent {count} transactions of slot {slot} that are not on the chain.")

    def _conclude(self, error, is_told=False):
        if self._over.is_set():
            return
        self._error = error
        self._over.set()
        self._unread.clear()
        self._line.leave(self)
        self._end(error)
        self._ended()
        if error and not is_told and not self._is_asked:
            self._pairwire._warn(f'The stream "{self.name}" has ended: {error}')

    # Called by its connection:

    def _params(self):
        place = {} if self._place.cursor is None else {"resume_from": self._place.cursor}
        return {**self._agreed, **self._kept, **place}

    def _settled(self, error):
        params, settled = self._updates.popleft()
        if not error:
            self._agreed = params
        _settle(settled, error)
        self._line.update(self)

    def _passed(self, cursor, slot):
        if self._place.pass_(cursor, slot) and not self._is_busy and not self._unread:
            self._finish(cursor)

    def _frame(self, frame):
        method, item = frame["method"], frame["params"]
        if method in _EVENTS:
            cursor = frame.get("cursor")
            if cursor is not None and not self._place.move(cursor):
                self._stats["duplicates"] += 1
                return
            item.update(type=_EVENTS[method], cursor=cursor, commitment=frame.get("commitment", "confirmed"),
                        replay=frame.get("replay", False))
            item.update((name, frame[name]) for name in ("receivedAt", "sentAt", "facts") if name in frame)
            if gap := self._place.gap_before(item):
                self._gap(gap)
            self._stats["received"] += 1
            self._put(item, cursor)
        elif method == "gapNotification":
            gap = _gap(item["fromSlot"], item["toSlot"], item["cause"], item["resume_from"])
            is_4008 = gap["cause"] == "slow_consumer" and gap["resumeFrom"] is not None  # all of it comes again
            if not is_4008 and self._place.is_new_gap(gap):
                self._gap(gap)
        elif method in _BESIDE:
            item.pop("subscription_id")
            self._put({"type": _BESIDE[method], **item}, None)

    def _cannot_resume(self, oldest):
        if self._too_old == "throw":
            return False
        self._gap(self._place.skip_to(oldest), oldest)
        return True

    def _end(self, error):
        self._ending = self._ending or (error,)
        self._woken.set()
        while self._updates:  # its reader may be waiting for one of them, and not get to the end before
            ended = error or self._pairwire._usage("STREAM_ENDED", "This stream has ended.")
            _settle(self._updates.popleft()[1], ended)

    def _gap(self, gap, place=None):
        self._stats["gaps"] += 1
        self._put(gap, place)

    def _put(self, item, place):
        if self._over.is_set() or self._ending:
            return
        self._unread.append((item, place))
        self._woken.set()
        if not self._is_full and len(self._unread) >= self._max_unread:
            self._is_full = True
            self._stats["slowed_down"] += 1
            self._line.full(self)


class _Place:
    """The position of one stream: detects duplicates, knows where to resume, and what is missing."""

    def __init__(self, is_placed):
        self.cursor = None
        self._is_placed, self._gaps = is_placed, set()  # newest reported gaps: a service repeats them
        self._passed_slot, self._broken = None, ()  # the newest slot sent completely; () before a first event

    def move(self, cursor):
        """Moves to a cursor. Returns whether it lies after the current one; else it is a duplicate."""
        if self.cursor is not None and cursor <= self.cursor:
            return False
        self.cursor = cursor
        return True

    def pass_(self, cursor, slot):
        """Everything up to a block was sent. Returns whether the position moved."""
        self._passed_slot = max(slot, self._passed_slot or 0)  # old blocks come again for streams that resume
        return self._is_placed and cursor is not None and self.move(cursor)

    def is_new_gap(self, gap):
        slot, _ = _slot_and_index(self.cursor)
        told = ((self.cursor or "")[:9], gap["fromSlot"], gap["toSlot"], gap["cause"])  # a run is one of a recording
        is_new = slot is None or (told not in self._gaps and (int(told[0]) > 0 or (gap["toSlot"] or 0) >= slot))
        self._gaps = (self._gaps if len(self._gaps) < 1000 else set()) | {told}
        return is_new

    def break_(self):
        """The connection was lost: without a cursor, events may be missing from the first slot not sent completely."""
        if self.cursor is None and not self._broken:
            self._broken = (None if self._passed_slot is None else self._passed_slot + 1,)

    def gap_before(self, item):
        """Returns the gap before an event, after a break where nothing can be resumed."""
        is_block = item["type"] == "block"
        slot, broken, self._broken = item["block" if is_block else "slot"], self._broken, None
        if is_block or broken is not None:
            self._passed_slot = slot if is_block else slot - 1
        if not broken or (is_block and slot <= (broken[0] or 0)):  # the next block follows at once
            return None
        return _gap(broken[0], max(broken[0] or 0, slot - 1), "disconnected")

    def skip_to(self, oldest):
        """Moves after the oldest cursor kept, or to the next event. Returns what is missing then."""
        last, index = _slot_and_index(oldest)
        first, index = _slot_and_index(self.cursor)
        if first is not None and index == 999_999:  # of a block: the next slot follows
            first += 1
        self.cursor, self._broken = oldest, ()
        # A cursor of another service lies ahead; the range in between is unknown.
        return _gap(first if first is None or last is None else min(first, last), last, "too_old")


class _Keeper:
    """Saves the cursor of one stream: the newest, one save at a time, at most every `save_every_ms`."""

    def __init__(self, store, name, every_ms, warn):
        self.every_s = every_ms / 1000
        self._store, self._name, self._warn = store, name, warn
        self._newest = self._saved = self._timer = None
        self._is_closed, self._saving, self._tasks = False, asyncio.Lock(), set()

    async def load(self):
        """Loads the stored cursor, or None. Raises the store's error, or TimeoutError when it takes too long."""
        self._newest = self._saved = await _within(_STORE_LIMIT_S, self._store.load(self._name))
        return self._newest

    def note(self, cursor):
        self._newest = cursor
        if not self._timer and not self._is_closed:
            self._timer = asyncio.get_running_loop().call_later(self.every_s or 1, self._flush_soon)

    async def flush(self):
        """Saves the last noted cursor unless it is saved already. A failure is a warning, and is retried."""
        async with self._saving:
            cursor = self._newest
            if cursor == self._saved:
                return
            try:
                await _within(_STORE_LIMIT_S, self._store.save(self._name, cursor))
                self._saved = cursor
            except Exception as error:
                self._warn(f'The cursor of the stream "{self._name}" could not be saved: {error}')
                self.note(self._newest)

    async def close(self):
        """Saves for the last time."""
        self._is_closed = True
        if self._timer:
            self._timer.cancel()
        await self.flush()

    def _flush_soon(self):
        self._timer = None
        _run_beside(self.flush(), self._tasks)


class _Line:
    """The streams on one connection, which reconnects by itself:

        idle --first stream--> connecting --> open --a stream is full--> resting --it has room--> open
                                 ^   \\        |
                                 |    lost    lost          from connecting and open: refused --> failed
                                 |     v       v
                                 +---- waiting              from each of them to idle with the last stream

    When it opens, all streams subscribe together, each after its cursor, so that the service sends the missed events in
    one order. It also follows the latest blocks, from the oldest of these cursors on, so that a block never runs ahead
    of events that a stream has yet to get."""

    def __init__(self, pairwire, replay):
        self._pairwire, self._replay = pairwire, replay
        self._members, self._subscriptions, self._requests = {}, {}, {}
        self._full, self._waits, self._closing = {}, [], set()
        self._leaving = set()  # until their subscriptions have ended: the service takes no other of the kind before
        self._room = asyncio.Event()
        self._state, self._task, self._last_task = "idle", None, None
        self._timer = self._feed = self._refused = None
        self._next_id, self._asking = 1, SimpleNamespace(tries=0)

    def join(self, member):
        """Adds a stream; the first one opens the connection."""
        self._members[member] = SimpleNamespace(phase="apart", id=0, tries=0, ahead_since=None, updating=None)
        if self._state == "open":
            self._subscribe()
        elif not self._task:
            self._refused = None
            self._task = asyncio.ensure_future(self._run(self._last_task))

    def leave(self, member):
        """Removes a stream; the last one closes the connection."""
        standing = self._members.pop(member, None)
        if not standing:
            return
        self._subscriptions.pop(standing.id, None)
        self.drained(member)
        if not self._members:
            self._last_task, self._task = self._task, None
            self._last_task.cancel()
            self._tell("idle")
        elif member.kind != "latestBlock" and standing.phase in ("asked", "standing"):
            self._leaving.add(member)
            if standing.phase == "standing":
                self._unsubscribe(member.kind, standing.id, partial(self._left, member))

    def full(self, member):
        """A stream reached its limit of unread items: reading stops for all of them, but for an update's answer."""
        message = f'The stream "{member.name}" has been full for {_REST_WARNING_S} s, so its connection is paused.'
        self._full[member] = _after(_REST_WARNING_S, self._pairwire._warn, message)

    def drained(self, member):
        warning = self._full.pop(member, None)
        if warning:
            warning.cancel()
        if not self._full:
            self._room.set()

    def update(self, member):
        standing, wanted = self._members.get(member), member._updates[0] if member._updates else None
        self._room.set()
        if wanted and not standing:  # it has yet to join, and will subscribe with them
            member._settled(None)
        is_standing = self._state == "open" and standing and standing.phase == "standing"
        if not is_standing or not wanted or standing.updating is wanted:
            return
        standing.updating = wanted

        def answered(_, error):
            if member not in self._members:
                return
            standing.updating = None
            if error and error["code"] in _PASSING:
                self._later(standing, self.update, member)
            else:
                member._settled(self._pairwire._answer_error(error) if error else None)

        self._request("updateSubscriptionParams", {"subscription_id": standing.id, "params": wanted[0]}, answered)

    async def _run(self, last_task):
        """Connects, reads, waits, and repeats, until an error that no retry fixes."""
        if last_task and not last_task.done():  # one of an event loop that has ended is done
            await asyncio.wait({last_task})
        tries = 0
        while True:
            self._tell("connecting")
            opened_at, why = await self._follow()
            may_have_another = (why.error_type == "KEY_UNKNOWN" and callable(self._pairwire._key)
                                and not (self._refused and self._refused[1] is why))
            if not why.come_back and not may_have_another:
                break
            if may_have_another:
                self._refused = (self._key, why)
            self._tell("waiting", why)
            if opened_at and _now() - opened_at >= _STABLE_AFTER_S:
                tries = 0
            is_limit = why.error_type == "CONNECTION_LIMIT"
            await asyncio.sleep(2 * (1 + random.random()) if is_limit else self._wait_s(tries))
            tries += 1
        self._tell("failed", why)
        members, self._members, self._task = list(self._members), {}, None
        for member in members:
            self.drained(member)
            member._end(why)

    async def _follow(self):
        """Opens a connection and reads it to its end. Returns when it opened, and the error that ended it."""
        tasks, opened_at, self._socket = [], None, None
        timeout, self._key = self._pairwire._times["connect_timeout"], None
        try:
            await _within(timeout, self._connect())
            if self._socket is None:
                return None, self._refused[1]
            opened_at, self._refused = _now(), None
            self._outgoing, self._room = asyncio.Queue(), asyncio.Event()  # of this event loop
            self._lost = asyncio.get_running_loop().create_future()
            tasks = [asyncio.ensure_future(work(self._socket)) for work in (self._read, self._write)]
            await asyncio.wait({tasks[0], self._lost}, return_when=asyncio.FIRST_COMPLETED)
            return opened_at, self._lost.result() if self._lost.done() else tasks[0].result()
        except asyncio.TimeoutError:
            return None, self._pairwire._lost(f"No connection within {timeout:g} s.")
        except Exception as thrown:
            return opened_at, self._pairwire._ending(thrown, self._key)
        finally:
            for task in tasks:
                task.cancel()
            if self._socket:  # also one that opened while this was cancelled
                _run_beside(_hang_up(self._socket), self._closing)
                self._interrupt()

    async def _connect(self):
        """Opens a socket, unless the key was refused before."""
        key = self._pairwire._key
        self._key = (await _waited_for(key()) if callable(key) else key) or ""
        if self._refused and self._refused[0] == self._key:
            return
        url = self._pairwire._url
        words = {"client": f"pairwire-py/{__version__}", "refusals": "close", "key": self._key}
        query = urlencode({**dict(parse_qsl(url.query)), **words})
        # The client detects silence by pinging the service: the library's pings would close a paused connection.
        self._socket = await _connect(urlunsplit(url._replace(query=query)), open_timeout=None, ping_interval=None,
                                      close_timeout=1, compression=None, logger=_silent)

    async def _write(self, socket):
        with suppress(Exception):  # reading raises the reason
            while True:
                await socket.send(await self._outgoing.get())

    async def _read(self, socket):
        self._go_on()
        while True:
            # Its reader may be waiting for an update.
            while self._full and not any(member._updates for member in self._members):
                self._tell("resting")
                self._stop_limits()
                self._room.clear()
                await self._room.wait()
                self._go_on()
            self._hear(await socket.recv())

    def _go_on(self):
        self._heard_at = _now()
        for request in self._requests.values():
            request[1] = self._limit("a request")
        self._watch()
        self._tell("open")
        for member in list(self._members):
            self.update(member)
        self._subscribe()

    def _stop_limits(self):
        self._timer.cancel()
        for _, limit in self._requests.values():
            limit.cancel()

    def _interrupt(self):
        """The connection is lost, with all its subscriptions."""
        if self._timer:
            self._stop_limits()
        for wait in self._waits:
            wait.cancel()
        for kept in (self._waits, self._requests, self._subscriptions, self._leaving):
            kept.clear()
        self._feed = None
        for member, standing in self._members.items():
            if standing.phase == "standing":
                member._place.break_()
            standing.phase, standing.updating = "apart", None

    def _watch(self):
        left = self._heard_at + self._pairwire._times["quiet"] - _now()
        if left > 0:
            self._timer = _after(left, self._watch)
            return
        asked_at = _now()
        self._send("ping")
        self._timer = _after(_ANSWER_LIMIT_S, lambda: self._watch() if self._heard_at > asked_at
                             else self._lose("The service is silent."))

    def _limit(self, method):
        return _after(_ANSWER_LIMIT_S, self._lose, f"No answer to {method}.")

    def _lose(self, message):
        if not self._lost.done():
            self._lost.set_result(self._pairwire._lost(message))

    def _wait_s(self, tries):
        """Returns the seconds before the next attempt, at random so that clients spread out."""
        times = self._pairwire._times
        return random.random() * min(times["retry_max"], times["retry_first"] * 2 ** min(tries, 40))

    def _tell(self, state, why=None):
        self._state = state
        self._pairwire._note_state(state, why)

    def _send(self, method, **members):
        self._next_id += 1
        self._outgoing.put_nowait(json.dumps({"id": self._next_id, "method": method, **members}))
        return self._next_id

    def _request(self, method, params, answered):
        """Sends a request. `answered` is not called if the connection is lost before the answer."""
        self._requests[self._send(method, params=params)] = [answered, self._limit(method)]

    def _hear(self, text):
        self._heard_at = _now()
        frame = None
        with suppress(ValueError):
            frame = json.loads(text)
        if not isinstance(frame, dict):
            return
        if isinstance(frame.get("method"), str):
            self._frame(frame)
        elif isinstance(frame.get("id"), int) and frame["id"] in self._requests:
            answered, limit = self._requests.pop(frame["id"])
            limit.cancel()
            answered(frame.get("result"), frame.get("error"))

    def _subscribe(self):
        """Subscribes, in one go, all streams that are not yet subscribed on this connection."""
        if self._state != "open":
            return
        must_follow = not self._feed
        for member, standing in self._members.items():
            if standing.phase != "apart" or any(left.kind == member.kind for left in self._leaving):
                continue
            standing.phase = "asked"
            has_place = member._place.cursor is not None
            must_follow = must_follow or has_place or self._feed.from_ is not None
            if member.kind != "latestBlock":
                self._request(f"{member.kind}Subscribe", member._params(), partial(self._answered, member, standing))
            elif not must_follow and self._feed.id:
                self._stand(member, standing, self._feed.id)
        if must_follow:
            self._follow_blocks()

    def _answered(self, member, standing, result, error):
        if self._members.get(member) is not standing:
            id_ = None if error else result["subscription_id"]  # it left in the meantime
            self._unsubscribe(member.kind, id_, partial(self._left, member))
        elif error:
            self._refuse(member, standing, error)
        else:
            self._stand(member, standing, result["subscription_id"])
            self._subscriptions[standing.id] = member
            self.update(member)

    def _stand(self, member, standing, id_):
        standing.phase, standing.id, standing.tries, standing.ahead_since = "standing", id_, 0, None
        member._stats["connects"] += 1

    def _refuse(self, member, standing, answer):
        error, now = self._pairwire._answer_error(answer), _now()
        ahead_since = standing.ahead_since or now
        is_ahead = error.error_type == "CURSOR_AHEAD" and now - ahead_since < _AHEAD_LIMIT_S
        if is_ahead:
            standing.ahead_since = ahead_since
        if is_ahead or error.come_back:
            self._ask_later(standing)
        elif error.code == _TOO_OLD and member._cannot_resume((answer.get("data") or {}).get("oldest")):
            standing.ahead_since = None
            ask = self._ask_later if standing.tries else self._ask_again  # immediately the first time, then with a wait
            standing.tries += 1
            ask(standing)
        else:
            self._end_member(member, error)

    def _ask_again(self, standing):
        standing.phase = "apart"
        self._subscribe()

    def _ask_later(self, standing):
        standing.phase = "waiting"
        self._later(standing, self._ask_again, standing)

    def _end_member(self, member, error):
        self._members[member].phase = "apart"
        self.leave(member)
        member._end(error)

    def _follow_blocks(self):
        """Subscribes to the blocks, from now on while a stream is new, else from the oldest cursor. Ignores old frames."""
        old, feed = self._feed, SimpleNamespace(id=None, from_=None, is_ahead=False, when_answered=None)
        self._feed = feed

        def ask():
            places = [member._place.cursor for member in self._members if member._place.cursor is not None]
            oldest = min(places, default=None)
            feed.from_ = None if any(map(_is_new, self._members, self._members.values())) else oldest
            feed.is_ahead = feed.from_ != oldest and not self._replay
            given = {"replay": self._replay, "resume_from": feed.from_}
            params = {name: value for name, value in given.items() if value is not None}
            self._request("latestBlockSubscribe", params, partial(self._feed_answered, feed))

        if old and not old.id:
            old.when_answered = lambda: self._unsubscribe("latestBlock", old.id, ask)
        else:
            self._unsubscribe("latestBlock", old and old.id, ask)

    def _feed_answered(self, feed, result, error):
        own = self._blocks_member()
        if not error:
            feed.id, self._asking.tries = result["subscription_id"], 0
        if feed.when_answered:
            feed.when_answered()
        elif error:
            self._feed = None
            may_wait = error["code"] == _TOO_OLD and not (own and own[0]._place.cursor == feed.from_)
            if may_wait or error["code"] in _PASSING:
                self._later(self._asking, lambda: self._feed or self._state != "open" or self._follow_blocks())
            elif own:
                self._refuse(*own, error)
        elif own and own[1].phase != "standing":
            self._stand(*own, feed.id)

    def _frame(self, frame):
        id_ = frame.get("subscription_id", (frame.get("params") or {}).get("subscription_id"))
        is_feed = bool(self._feed) and id_ == self._feed.id
        own = self._blocks_member() if is_feed else None
        member = own[0] if own else self._subscriptions.get(id_)
        if frame["method"] == "subscriptionClosed":
            if "errorType" in frame:  # else the connection is about to close, with the reason
                self._feed = None if is_feed else self._feed
                if member:
                    self._closed(member, frame["errorType"], frame.get("reason", ""))
            return
        slot, cursor = (frame.get("params") or {}).get("block"), frame.get("cursor")
        # Ahead of streams that resume, a block only shows new ones where they begin.
        is_ahead = is_feed and self._feed.is_ahead
        if member and (not is_ahead or member._place.cursor is None):
            member._frame(frame)
        if is_feed and frame["method"] == "latestBlockNotification":
            for other, standing in self._members.items():
                is_for = not is_ahead or other._place.cursor is None
                if other is not member and standing.phase == "standing" and is_for:
                    other._passed(cursor, slot)
            if is_ahead and cursor is not None:
                self._follow_blocks()

    def _closed(self, member, error_type, reason):
        """The service has ended a subscription while the connection stays open."""
        standing = self._members[member]
        self._subscriptions.pop(standing.id, None)
        if error_type == "REPLAY_AWAY":
            self._ask_later(standing)
        else:
            error = self._pairwire._error(_CLOSED_CODES.get(error_type, 0), error_type, reason)
            self._end_member(member, None if error_type == "REPLAY_ENDED" else error)

    def _blocks_member(self):
        return next(((member, at) for member, at in self._members.items() if member.kind == "latestBlock"), None)

    def _left(self, member):
        """Nothing stands of one that left: another of its kind may follow."""
        self._leaving.discard(member)
        self._subscribe()

    def _unsubscribe(self, kind, id_, ended):
        """Ends a subscription, if there is one, then calls `ended`."""
        def answered(_, error):
            if error and error["code"] in _PASSING:
                self._later(self._asking, self._unsubscribe, kind, id_, ended)
            else:
                ended()

        if id_ is None:
            ended()
        else:
            self._request(f"{kind}Unsubscribe", {"subscription_id": id_}, answered)

    def _later(self, standing, act, *given):
        """Acts later if the connection is still the same: on a new one everything is requested again."""
        self._waits = [wait for wait in self._waits if wait.when() > _now() and not wait.cancelled()]
        self._waits.append(_after(self._wait_s(standing.tries), act, *given))
        standing.tries += 1


def _is_new(member, standing):
    """Whether a stream has asked to begin now and has yet to learn its place; one ahead of confirmation has none."""
    place = member._place
    return place.cursor is None and place._is_placed and standing.phase in ("asked", "standing")


def _gap(from_slot, to_slot, cause, resume_from=None):
    return {"type": "gap", "fromSlot": from_slot, "toSlot": to_slot, "cause": cause, "resumeFrom": resume_from}


def _slot_and_index(cursor):
    """Returns the slot and index of a cursor; None twice if it has none."""
    match = re.fullmatch(r"\d{9}-(\d{12})-(\d{6})-\d{4}", cursor or "")
    return (int(match[1]), int(match[2])) if match else (None, None)


def _after(seconds, act, *given):
    return asyncio.get_running_loop().call_later(seconds, act, *given)


def _run_beside(work, tasks):
    """Runs a coroutine in the background, and keeps a reference, since the event loop holds only a weak one."""
    task = asyncio.ensure_future(work)
    tasks.add(task)
    task.add_done_callback(tasks.discard)


async def _hang_up(socket):
    with suppress(Exception):  # it may be closed already
        await socket.close()


async def _waited_for(result):
    return await result if inspect.isawaitable(result) else result


async def _within(seconds, result):
    """Waits for a result. Unlike `asyncio.wait_for` before Python 3.12, it never swallows a cancellation."""
    task = asyncio.ensure_future(_waited_for(result))
    try:
        if (await asyncio.wait({task}, timeout=seconds))[0]:
            return task.result()
        raise asyncio.TimeoutError(f"no answer within {seconds} s")
    finally:
        task.cancel()


def _settle(future, error):
    if not future.done():  # else the waiter was cancelled
        future.set_exception(error) if error else future.set_result(None)
