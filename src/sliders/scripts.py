"""The scripts of sliders, which a page loads when the reader opens them."""

from collections.abc import Iterator

from tracebook import files, snippet
from tracebook.settings import Settings, SettingsError

from . import recording
from .recording import SUFFIX, RecordingError


def scripts(settings: Settings) -> Iterator[tuple[str, str]]:
    """Return names below the published programs, and scripts. Files that aren't
    understood, which a check reports, have none."""
    for path in files.below(settings.snippets_dir):
        program = path.with_suffix(".py")
        if path.suffix == SUFFIX and program.is_file():
            name = program.relative_to(settings.snippets_dir).as_posix()
            try:
                record = recording.load(snippet.load(program, settings))
            except (RecordingError, SettingsError, OSError):
                continue
            yield recording.script_name(name), record.script() if record else ""
