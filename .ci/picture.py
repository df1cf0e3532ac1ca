"""Draw README's picture: the home page, as a browser shows it.

Usage: make build, then .venv/bin/python .ci/picture.py
"""

import functools
import http.server
import shutil
import threading
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / ".github/page.png"
WIDTH, HEIGHT, SHARPNESS = 720, 1560, 2


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_) -> None:
        pass


handler = functools.partial(Quiet, directory=ROOT / "site")
with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page(
            viewport={"width": WIDTH, "height": HEIGHT},
            device_scale_factor=SHARPNESS,
            color_scheme="light",
        )
        page.goto(f"http://127.0.0.1:{server.server_port}/")
        page.evaluate("document.fonts.ready")
        page.wait_for_timeout(500)
        shown = Image.open(BytesIO(page.screenshot())).convert("RGB")
        browser.close()
    server.shutdown()
# Text and lines need few colors.
few = shown.quantize(128, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
few.save(PICTURE, optimize=True)
