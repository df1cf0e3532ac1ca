"""Files: list those of a folder, read text, and write one whole or not at all."""

import contextlib
import os
import shutil
from pathlib import Path


def below(folder: Path) -> list[Path]:
    """Return the files in a folder and its folders, in order, except hidden ones."""
    return sorted(
        path
        for path in folder.rglob("*")
        if path.is_file()
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    )


def text(path: Path, label: str = "") -> str:
    """Read a text. An OSError names the label, and the line that isn't UTF-8."""
    try:
        return path.read_text("utf-8")
    except UnicodeDecodeError as error:
        line = path.read_bytes().count(b"\n", 0, error.start) + 1
        message = f"{label or path}:{line}: is not UTF-8; save it in that encoding"
        raise OSError(message) from error


def write(path: Path, content: bytes) -> None:
    """Write a file whole or not at all."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(content)
        if path.exists():
            shutil.copymode(path, temporary)
        os.replace(temporary, path)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
