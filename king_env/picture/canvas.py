"""What pictures are drawn with: sizes, colours, lettering and the finished picture."""

from __future__ import annotations

import functools
import io
from typing import Any

import numpy as np
import numpy.typing as npt

from king_env.card_design import Colour, Point

try:
    from PIL import Image, ImageDraw, ImageFont
except ImportError as error:
    raise ImportError(
        "pictures (render_mode='rgb_array') need Pillow, which extra `render` brings: pip install 'king-env[render]'"
    ) from error

WIDTH, HEIGHT = 1200, 800
TABLE_WIDTH = 888  # the rest is the panel's

WHITE: Colour = (255, 255, 255)
PALE: Colour = (190, 205, 197)
DARK: Colour = (18, 26, 23)
PLATE: Colour = (14, 51, 35)
GOLD: Colour = (250, 204, 72)
FELT_MIDDLE, FELT_EDGE = (35, 128, 82), (13, 74, 45)
RIM: Colour = (74, 46, 28)
PANEL: Colour = (24, 33, 30)

SMALL, TEXT, TITLE = 15, 18, 26  # sizes of lettering

# Shapes are drawn so many times as large and then made smaller, which smooths their edges.
FINENESS = 4


class Picture(np.ndarray[Any, np.dtype[Any]]):
    """uint8[height, width, 3]: an array like any other, but a notebook shows it as the picture that it is."""

    def _repr_png_(self) -> bytes | None:
        """The picture as PNG; None for what has been computed from one and is none."""
        if self.dtype != np.uint8 or self.ndim != 3 or self.shape[2] != 3:
            return None
        file = io.BytesIO()
        Image.fromarray(np.asarray(self)).save(file, "png")
        return file.getvalue()


@functools.cache
def lettering(size: int) -> Any:
    """The typeface that comes with Pillow."""
    return ImageFont.load_default(size)


@functools.cache
def background() -> Image.Image:
    """The empty table and the empty panel."""
    rows, columns = np.mgrid[0:HEIGHT, 0:TABLE_WIDTH]
    distance = np.hypot((columns / TABLE_WIDTH - 0.5) * 1.25, (rows / HEIGHT - 0.5) * 1.25)[..., np.newaxis]
    felt = np.array(FELT_MIDDLE) + (np.array(FELT_EDGE) - np.array(FELT_MIDDLE)) * np.clip(distance, 0, 1)
    pixels: npt.NDArray[np.uint8] = np.empty((HEIGHT, WIDTH, 3), dtype=np.uint8)
    pixels[:] = PANEL
    pixels[:, :TABLE_WIDTH] = felt
    image = Image.fromarray(pixels)
    ImageDraw.Draw(image).rectangle((0, 0, TABLE_WIDTH - 1, HEIGHT - 1), outline=RIM, width=6)
    return image


@functools.cache
def rounded_box(size: tuple[int, int], radius: int, fill: Colour, outline: Colour | None = None) -> Image.Image:
    """A box with round corners, transparent around them."""
    box = Image.new("RGBA", (size[0] * FINENESS, size[1] * FINENESS))
    corner = (size[0] * FINENESS - 1, size[1] * FINENESS - 1)
    ImageDraw.Draw(box).rounded_rectangle(
        (0, 0, *corner), radius * FINENESS, fill=fill, outline=outline, width=2 * FINENESS if outline else 1
    )
    return smoothed(box, size)


def smoothed(image: Image.Image, size: tuple[int, int]) -> Image.Image:
    """An image that was drawn too large, at its size."""
    return image.resize(size, Image.Resampling.BOX)


def paste(image: Image.Image, piece: Image.Image, at: Point) -> None:
    """Lay a piece with transparent parts onto the picture, its upper left corner at a point."""
    image.paste(piece, (round(at[0]), round(at[1])), piece)


def finished(image: Image.Image) -> Picture:
    """The picture as an array of its own."""
    return np.array(image).view(Picture)
