"""Scan for changes as soon as the operating system reports one.

MkDocs scans all files twice a second, because not every system reports changes in
every folder, such as one on another machine. That scan continues.
"""

import threading
from contextlib import suppress
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
    changed, scan = threading.Event(), emitter.queue_events
    handler, path = events.FileSystemEventHandler(), Path(emitter.watch.path)
    handler.on_any_event = lambda event: changed.set()  # type: ignore[method-assign]
    # Only the folder's watch reports a file that an editor replaces.
    folder = path if path.is_dir() else path.parent
    listener.schedule(
        handler,
        str(folder),
        recursive=emitter.watch.is_recursive and folder is path,
        event_filter=_CHANGES,
    )

    def wait_and_scan(timeout: float) -> None:
        changed.wait(timeout)
        changed.clear()
        scan(0)

    emitter.on_thread_stop = changed.set  # type: ignore[method-assign]
    emitter.queue_events = wait_and_scan  # type: ignore[method-assign]
