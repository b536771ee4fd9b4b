"""libcurl's transfers on an asyncio event loop, whichever it is (asyncio's own or uvloop).

libcurl says which sockets it waits for and when it wants to be woken; the loop does both.
No threads, no polling. Everything runs on the loop's thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pycurl

Done = Callable[[int, str], None]  # libcurl's code, 0 for success, and its message


class Multi:
    """Runs easy handles until they are done, and keeps their connections for the next ones.

    `start` promises exactly one call of `done`, later and from the loop, unless `stop` comes
    first. A handle that is done or stopped is free to be used again.
    Must be made, used and closed on one running loop.
    """

    def __init__(self, connections: int) -> None:
        self._loop = asyncio.get_running_loop()
        self._running: dict[pycurl.Curl, Done] = {}
        self._watched: dict[int, int] = {}  # socket → POLL_IN | POLL_OUT
        self._alarm: asyncio.Handle | None = None
        self._alarm_at = 0.0
        self._due: float | None = None  # when libcurl wants to be woken
        self._multi = pycurl.CurlMulti()
        self._multi.setopt(pycurl.M_MAXCONNECTS, connections)
        self._multi.setopt(pycurl.M_SOCKETFUNCTION, self._on_socket)
        self._multi.setopt(pycurl.M_TIMERFUNCTION, self._on_timer)

    def start(self, curl: pycurl.Curl, done: Done) -> None:
        self._running[curl] = done
        try:
            self._multi.add_handle(curl)
        except BaseException:
            del self._running[curl]
            raise

    def stop(self, curl: pycurl.Curl) -> None:
        """Give a transfer up; its connection is closed. Does nothing if it is done already."""
        if self._running.pop(curl, None) is not None:
            self._multi.remove_handle(curl)

    def close(self) -> None:
        """Give all transfers up, which are then done, and close all connections."""
        self._give_up("the client was closed")
        self._multi.close()
        for socket in list(self._watched):
            self._watch(socket, 0)
        if self._alarm is not None:
            self._alarm.cancel()

    # What libcurl asks for. It must not be called back from in here.

    def _on_socket(self, what: int, socket: int, _multi: object, _data: object) -> None:
        self._watch(socket, 0 if what == pycurl.POLL_REMOVE else what)

    def _watch(self, socket: int, wanted: int) -> None:
        had = self._watched.pop(socket, 0)
        changed = had ^ wanted
        if changed & pycurl.POLL_IN:
            if wanted & pycurl.POLL_IN:
                self._loop.add_reader(socket, self._act, socket, pycurl.CSELECT_IN)
            else:
                self._loop.remove_reader(socket)
        if changed & pycurl.POLL_OUT:
            if wanted & pycurl.POLL_OUT:
                self._loop.add_writer(socket, self._act, socket, pycurl.CSELECT_OUT)
            else:
                self._loop.remove_writer(socket)
        if wanted:
            self._watched[socket] = wanted

    def _on_timer(self, milliseconds: int) -> None:
        """Remember when to wake libcurl. An alarm that comes too early is set again then:
        libcurl moves its timer with every transfer, and most of those moves are to later."""
        if milliseconds < 0:
            self._due = None
            return
        self._due = self._loop.time() + milliseconds / 1000
        if self._alarm is not None:
            if self._alarm_at <= self._due:
                return
            self._alarm.cancel()
        self._set_alarm(self._due)

    def _set_alarm(self, when: float) -> None:
        self._alarm_at = when
        if when <= self._loop.time():
            self._alarm = self._loop.call_soon(self._on_alarm)
        else:
            self._alarm = self._loop.call_at(when, self._on_alarm)

    # What the loop reports.

    def _on_alarm(self) -> None:
        self._alarm = None
        if self._due is None:
            return
        if self._due > self._loop.time() + 0.0005:  # libcurl counts in milliseconds
            self._set_alarm(self._due)
            return
        self._due = None
        self._act(pycurl.SOCKET_TIMEOUT, 0)

    def _act(self, socket: int, events: int) -> None:
        try:
            _, running = self._multi.socket_action(socket, events)
        except pycurl.error as error:  # never seen, but nobody may wait for ever
            self._give_up(f"libcurl stopped working: {error}")
            return
        if running < len(self._running):
            self._collect()

    def _give_up(self, reason: str) -> None:
        for curl, done in list(self._running.items()):
            self.stop(curl)
            done(pycurl.E_ABORTED_BY_CALLBACK, reason)

    def _collect(self) -> None:
        waiting = 1
        while waiting:
            waiting, succeeded, failed = self._multi.info_read()
            ended = [(curl, 0, "") for curl in succeeded]
            for curl, code, message in ended + failed:
                done = self._running.pop(curl, None)
                if done is not None:
                    self._multi.remove_handle(curl)
                    done(code, message)
