"""Changes are looked for as soon as the system tells of one.

MkDocs looks through all files twice a second, for not every system tells of every
folder, such as one on another machine. That goes on.
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
"""Reading a file is an event, too, and a build reads all."""


class _Told(events.FileSystemEventHandler):
    """Something changed; where, the one who looks will see."""

    def __init__(self) -> None:
        self.by_now = threading.Event()

    def on_any_event(self, event: events.FileSystemEvent) -> None:
        self.by_now.set()


def hasten(observer: BaseObserver) -> None:
    """Have an observer that looks at all its files now and then, and that has not
    started yet, look at once where a change is told."""
    start = observer.start

    def starting() -> None:
        listener = Observer()
        for emitter in observer.emitters:
            _listen(listener, emitter)
        with suppress(OSError):  # some systems tell of so many files only
            listener.daemon = True
            listener.start()
        start()

    observer.start = starting  # type: ignore[method-assign]


def _listen(listener: BaseObserver, emitter: EventEmitter) -> None:
    told, path = _Told(), Path(emitter.watch.path)
    # A file that an editor replaces is told of by its folder alone.
    folder = path if path.is_dir() else path.parent
    listener.schedule(
        told,
        str(folder),
        recursive=emitter.watch.is_recursive and folder is path,
        event_filter=_CHANGES,
    )
    emitter.on_thread_stop = told.by_now.set  # type: ignore[method-assign]
    emitter.queue_events = partial(  # type: ignore[method-assign]
        _when_told, told.by_now, emitter.queue_events
    )


def _when_told(
    by_now: threading.Event, look: Callable[[float], None], seconds: float
) -> None:
    by_now.wait(seconds)
    by_now.clear()
    look(0)
