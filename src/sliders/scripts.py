"""The scripts of sliders, which a page loads when the reader opens them."""

from collections.abc import Iterator

from tracebook import files, snippet
from tracebook.settings import Settings, SettingsError

from . import recording
from .recording import SUFFIX, RecordingError


class Scripts:
    """The scripts of a project. Each is made once for each content of its files."""

    def __init__(self) -> None:
        self._made: dict[str, tuple[list[int], str]] = {}

    def all(self, settings: Settings) -> Iterator[tuple[str, str]]:
        """Return names below the published programs, and scripts. Files that aren't
        understood, which a check reports, have none."""
        for path in files.below(settings.snippets_dir):
            program = path.with_suffix(".py")
            if path.suffix != SUFFIX or not program.is_file():
                continue
            name = program.relative_to(settings.snippets_dir).as_posix()
            try:
                parts = path, program, path.with_suffix(".out")
                changed = [part.stat().st_mtime_ns for part in parts]
                if name not in self._made or self._made[name][0] != changed:
                    record = recording.load(snippet.load(program, settings))
                    self._made[name] = changed, record.script() if record else ""
            except (RecordingError, SettingsError, OSError):
                continue
            yield recording.script_name(name), self._made[name][1]
