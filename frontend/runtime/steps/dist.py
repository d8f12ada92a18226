"""Gives files names that carry their content's hash, and writes the manifest."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

# Suffix of the file beside the original -> HTTP's name for the encoding; the smaller the earlier.
_ENCODINGS = {"zst": "zstd", "br": "br", "gz": "gzip"}
_TYPES = {".mjs": "text/javascript", ".wasm": "application/wasm"}
_SOURCE_MAP = re.compile(rb"\n//# sourceMappingURL=\S+\s*$")


@dataclass(frozen=True)
class Named:
    """A file of the result."""

    name: str
    size: int

    @property
    def folder(self) -> str:
        """The folder it is in."""
        return Path(self.name).parent.as_posix()


class Dist:
    """The folder that the server serves under any prefix: all names in it are relative to each other."""

    def __init__(self, out: Path, quality: str) -> None:
        self._out = out
        self._quality = quality
        self._named: dict[str, Named] = {}
        out.mkdir(parents=True, exist_ok=True)

    def add(self, source: Path) -> Named:
        """Add a file under a name with its hash. Scripts come to name the files added before as these are named."""
        data = source.read_bytes()
        if source.suffix == ".mjs":
            data = self._with_hashed_imports(_SOURCE_MAP.sub(b"", data))
        return self._write(source.name, f"{source.stem}.{_hash(data)}{source.suffix}", data)

    def add_in_folder(self, folder: str, source: Path) -> Named:
        """Add a file that must keep its name, in a folder whose name has the hash."""
        data = source.read_bytes()
        return self._write(source.name, f"{folder}-{_hash(data)}/{source.name}", data)

    def add_module(self, logical: str, urls: dict[str, str], values: dict[str, object]) -> None:
        """Add a script that exports addresses, relative to itself, and constants."""
        lines = [
            f"export const {name} = new URL({json.dumps('./' + url)}, import.meta.url).href;"
            for name, url in urls.items()
        ]
        lines += [f"export const {name} = {json.dumps(value)};" for name, value in values.items()]
        data = "\n".join(lines).encode() + b"\n"
        self._write(logical, f"{Path(logical).stem}.{_hash(data)}.mjs", data)

    def uncompressed(self) -> list[str]:
        """The files to compress. Equal names mean equal content, so what was compressed before still fits."""
        if self._quality == "none":
            return []
        files = [self._out / file.name for file in self._named.values()]
        if read_manifest(self._out).get("quality") != self._quality:
            return [str(file) for file in files]
        return [str(file) for file in files if not all(self._form(file, suffix).exists() for suffix in _ENCODINGS)]

    def finish(self, inputs: str, versions: dict[str, str]) -> dict[str, Any]:
        """Write the manifest and remove what an earlier build left."""
        files = {logical: self._entry(file) for logical, file in sorted(self._named.items())}
        manifest = {
            "inputs": inputs,
            "quality": self._quality,
            "versions": versions,
            "boot": self._named["boot.mjs"].name,
            "files": files,
        }
        target = self._out / "manifest.json"
        # Whoever reads it sees the old one or the new one, whole.
        draft = target.with_suffix(".new")
        draft.write_text(json.dumps(manifest, indent=1) + "\n", "utf-8")
        draft.replace(target)
        self._remove_leftovers(files)
        return manifest

    def _entry(self, file: Named) -> dict[str, Any]:
        path = self._out / file.name
        encodings = {} if self._quality == "none" else _ENCODINGS
        forms = {name: self._form(path, suffix) for suffix, name in encodings.items()}
        return {
            "name": file.name,
            "type": _TYPES.get(path.suffix, "application/octet-stream"),
            "size": file.size,
            "encodings": {
                name: {"name": form.relative_to(self._out).as_posix(), "size": form.stat().st_size}
                for name, form in forms.items()
            },
        }

    def _remove_leftovers(self, files: dict[str, dict[str, Any]]) -> None:
        kept = {"manifest.json"}
        for entry in files.values():
            kept |= {entry["name"], *(form["name"] for form in entry["encodings"].values())}
        for path in self._out.rglob("*"):
            if path.is_file() and path.relative_to(self._out).as_posix() not in kept:
                path.unlink()
        for path in self._out.iterdir():
            if path.is_dir() and not any(path.iterdir()):
                shutil.rmtree(path)

    def _with_hashed_imports(self, data: bytes) -> bytes:
        def hashed(match: re.Match[bytes]) -> bytes:
            known = self._named.get(match[1].decode())
            return b'"./' + known.name.encode() + b'"' if known else match[0]

        return re.sub(rb'"\./([\w.-]+\.mjs)"', hashed, data)

    def _write(self, logical: str, name: str, data: bytes) -> Named:
        target = self._out / name
        if not (target.is_file() and target.read_bytes() == data):
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(data)
            for suffix in _ENCODINGS:
                self._form(target, suffix).unlink(missing_ok=True)
        self._named[logical] = Named(name, len(data))
        return self._named[logical]

    @staticmethod
    def _form(path: Path, suffix: str) -> Path:
        return path.with_name(f"{path.name}.{suffix}")


def read_manifest(out: Path) -> dict[str, Any]:
    """What an earlier build wrote; empty when there was none."""
    try:
        manifest: dict[str, Any] = json.loads((out / "manifest.json").read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return manifest


def _hash(data: bytes) -> str:
    return sha256(data).hexdigest()[:12]
