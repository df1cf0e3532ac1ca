"""Scan for changes as soon as the operating system reports one.

MkDocs scans all files twice a second, because not every system reports changes in
every folder, such as one on another machine. That scan continues.
"""

import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

from watchdog import events
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver, EventEmitter

_CHANGES: list[type[events.FileSystemEvent]] = [
    events.FileModifiedEvent,
    events.FileCreatedEvent,
    events.FileDeletedEvent,
    events.FileMovedEvent,
]
"""Events that trigger a scan. Opening a file is none, because a build opens all."""


class _Trigger(events.FileSystemEventHandler):
    """Handler that only notes that something changed; the scan finds where."""

    def __init__(self) -> None:
        self.changed = threading.Event()

    def on_any_event(self, event: events.FileSystemEvent) -> None:
        self.changed.set()


def scan_on_events(observer: BaseObserver) -> None:
    """Have a polling observer, before it starts, also scan on the system's events."""
    start = observer.start

    def start_both() -> None:
        listener = Observer()
        for emitter in observer.emitters:
            _listen(listener, emitter)
        with suppress(OSError):  # some systems limit the number of watched files
            listener.daemon = True
            listener.start()
        start()

    observer.start = start_both  # type: ignore[method-assign]


def _listen(listener: BaseObserver, emitter: EventEmitter) -> None:
    trigger, path = _Trigger(), Path(emitter.watch.path)
    # Only the folder's watch reports a file that an editor replaces.
    folder = path if path.is_dir() else path.parent
    listener.schedule(
        trigger,
        str(folder),
        recursive=emitter.watch.is_recursive and folder is path,
        event_filter=_CHANGES,
    )
    emitter.on_thread_stop = trigger.changed.set  # type: ignore[method-assign]
    emitter.queue_events = partial(  # type: ignore[method-assign]
        _wait_and_scan, trigger.changed, emitter.queue_events
    )


def _wait_and_scan(
    changed: threading.Event, scan: Callable[[float], None], seconds: float
) -> None:
    changed.wait(seconds)
    changed.clear()
    scan(0)
