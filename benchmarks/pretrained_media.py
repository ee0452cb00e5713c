"""Drawn pictures and synthesised sounds for pretrained models: always the same ones."""

from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageDraw, ImageFont


def faces(size: int, count: int) -> list[Image.Image]:
    """Drawn faces, each with another place, skin, mouth and gaze."""
    return [_face(size, place) for place in range(count)]


def _face(size: int, place: int) -> Image.Image:
    picture = Image.new("RGB", (size, size), (70 + 15 * place, 110, 150 - 10 * place))
    pen, unit = ImageDraw.Draw(picture), size / 100
    x, y = size * (0.42 + 0.02 * place), size * (0.54 - 0.01 * place)

    def oval(across: float, down: float, wide: float, high: float, *colour: int) -> None:
        left, top = x + (across - wide) * unit, y + (down - high) * unit
        pen.ellipse((left, top, left + 2 * wide * unit, top + 2 * high * unit), colour)

    oval(0, -6, 31, 38, 50, 30 + 5 * place, 20)
    oval(0, 0, 27, 35, 230 - 12 * place, 190 - 12 * place, 160 - 10 * place)
    for side in (-11, 11):
        oval(side, -8, 6, 3.5, 255, 255, 255)
        oval(side + place - 3.5, -8, 2.8, 2.8, 60, 90, 30)
        oval(side, -15, 7, 1.4, 60, 40, 30)
    oval(0, 3, 3, 6, 200 - 12 * place, 150 - 10 * place, 130 - 10 * place)
    oval(0, 18, 11 - place / 2, 1 + place * 0.7, 150, 50, 60)
    return picture


def lines(wide: int, high: int, texts: Sequence[str]) -> list[Image.Image]:
    """A line of printed text each."""
    font = ImageFont.load_default(high * 0.62)
    found = []
    for place, text in enumerate(texts):
        picture = Image.new("RGB", (wide, high), (255 - 5 * place, 250, 240))
        ImageDraw.Draw(picture).text((6, high * 0.12), text, (10 * place, 20, 60), font)
        found.append(picture)
    return found


def pages(wide: int, high: int, count: int) -> list[Image.Image]:
    """Pages with a headline, a paragraph and a table, each with other words."""
    large, small = (ImageFont.load_default(high / part) for part in (20, 50))
    found = []
    for place in range(count):
        picture = Image.new("RGB", (wide, high), (252, 252, 248 - place))
        pen = ImageDraw.Draw(picture)
        pen.text((wide * 0.1, high * 0.05), f"Report {place + 1}", "black", large)
        for row in range(14):
            words = " ".join(f"word{(7 * row + 3 * n + place) % 23}" for n in range(9))
            pen.text((wide * 0.1, high * (0.15 + 0.03 * row)), words, "black", small)
        for row in range(5):
            top = high * (0.66 + 0.05 * row)
            pen.rectangle((wide * 0.1, top, wide * 0.9, top + high * 0.05), outline="black")
            pen.text((wide * 0.13, top + high * 0.01), f"Total {31 * row}.50", "black", small)
        found.append(picture)
    return found


# Sounds, from -1 to 1


def voice(rate: int, seconds: float, pitch: float) -> np.ndarray:
    """Syllables: harmonics of a gliding pitch under formants that move, with breath and pauses."""
    time = np.arange(int(rate * seconds)) / rate
    glide = pitch * (1 + 0.15 * np.sin(2 * np.pi * 0.7 * time))
    phase = 2 * np.pi * np.cumsum(glide) / rate
    formants = (500 + 250 * np.sin(2 * np.pi * 1.3 * time), 1500 + 500 * np.sin(5 * time), 2600)
    sound = np.zeros_like(time)
    for harmonic in range(1, 25):
        bumps = [np.exp(-(((harmonic * glide - at) / 180) ** 2)) for at in formants]
        sound += (sum(bumps) + 0.03) * np.sin(harmonic * phase)
    syllables = np.clip(1.4 * np.sin(2 * np.pi * 2.2 * time), 0, 1)
    breath = np.random.RandomState(0).normal(size=time.size) * 0.004
    return (0.5 * sound / np.abs(sound).max() * syllables + breath).astype("float32")


def notes(rate: int, samples: int, place: int) -> np.ndarray:
    """Struck strings, two at a time, that die away; each place is a key higher."""
    time, sound = np.arange(samples) / rate, np.zeros(samples)
    for start, key in ((0.1, 40), (0.1, 47), (0.7, 52), (1.2, 45), (1.2, 56)):
        pitch = 27.5 * 2 ** ((key + place - 1) / 12)
        since = np.clip(time - start, 0, None)
        for harmonic in range(1, 7):
            tone = np.sin(2 * np.pi * pitch * harmonic * since) / harmonic**1.5
            sound += 0.12 * tone * np.exp(-2.5 * harmonic**0.5 * since)
    return sound.astype("float32")


def bird(rate: int, seconds: float, place: int) -> np.ndarray:
    """Chirps that rise and fall, over a faint wind."""
    time = np.arange(int(rate * seconds)) / rate
    beat = (time * (1.5 + 0.25 * place)) % 1
    height = 3000 + 250 * place + 1800 * np.sin(np.pi * np.clip(beat / 0.3, 0, 1))
    chirp = np.sin(2 * np.pi * np.cumsum(height) / rate) * np.clip(1 - beat / 0.3, 0, 1) ** 0.5
    wind = np.random.RandomState(place).normal(size=time.size) * 0.01
    return (0.3 * chirp + wind).astype("float32")
