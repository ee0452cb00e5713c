"""Images and numbers are changed when that is asked for, and it is said; never otherwise."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from assay.ir.check import TensorSpec
from assay.models import Conversions, DataError, in_memory, open_data, parse_scale

COLOURED = TensorSpec("x", (None, 4, 6, 3), "float32")
GREY = TensorSpec("x", (None, 4, 6, 1), "float32")
FIRST = TensorSpec("x", (None, 3, 4, 6), "float32")
ANY = TensorSpec("x", (None, None, None, 3), "float32")
TEXT = TensorSpec("x", (None, 5), "int32")
BYTE = Conversions(scale=parse_scale("1/255"))


@pytest.mark.parametrize(
    ("text", "factor", "offset", "said"),
    [
        ("1/255", 1 / 255, 0.0, "scaled by 1/255"),
        ("255", 255.0, 0.0, "scaled by 255"),
        (" 1 / 127.5 , -1 ", 1 / 127.5, -1.0, "scaled by 1 / 127.5, -1 added"),
        ("1e-3", 1e-3, 0.0, "scaled by 1e-3"),
        ("1", 1.0, 0.0, "taken as numbers, not scaled"),
    ],
)
def test_a_scale_is_a_factor_with_something_to_add(
    text: str, factor: float, offset: float, said: str
) -> None:
    scale = parse_scale(text)
    assert (scale.factor, scale.offset, str(scale)) == (factor, offset, said)


@pytest.mark.parametrize(
    "text", ["", "x", "0", "1/0", "1/", "nan", "inf", "1e999", "1,", "1,2,3", "--", "1/2/3"]
)
def test_what_is_no_scale_is_refused(text: str) -> None:
    with pytest.raises(DataError, match="--scale takes a factor such as 1/255") as caught:
        parse_scale(text)
    assert f'received "{text}"' in str(caught.value)


def test_a_scale_divides_exactly() -> None:
    pixels = np.arange(256, dtype="uint8")[:, None]
    data = in_memory([pixels], [TensorSpec("x", (None, 1), "float32")], conversions=BYTE)
    numbers = np.concatenate([batch.inputs[0] for batch in data.batches()])
    assert data.said == ("x: scaled by 1/255",)
    np.testing.assert_array_equal(numbers, (pixels / 255.0).astype("float32"))


@pytest.mark.parametrize(
    ("item", "shape", "options", "said"),
    [
        (GREY, (3, 4, 6, 3), Conversions(grey=True), ("x: colours turned to grey",)),
        (COLOURED, (3, 8, 9, 3), Conversions(resize=True), ("x: 8×9 resized to 4×6 (bilinear)",)),
        (FIRST, (3, 3, 8, 9), Conversions(resize=True), ("x: 8×9 resized to 4×6 (bilinear)",)),
        (COLOURED, (3, 4, 6, 3), Conversions(resize=True), ()),
        (
            GREY,
            (3, 8, 9, 3),
            Conversions(resize=True, grey=True),
            ("x: colours turned to grey", "x: 8×9 resized to 4×6 (bilinear)"),
        ),
    ],
)
def test_arrays_of_images_are_changed_as_asked(
    item: TensorSpec, shape: tuple[int, ...], options: Conversions, said: tuple[str, ...]
) -> None:
    data = in_memory([np.full(shape, 0.25, "float32")], [item], conversions=options)
    assert data.said == said
    (batch,) = data.batches()
    assert batch.inputs[0].shape == (3, *item.shape[1:])
    np.testing.assert_allclose(batch.inputs[0], 0.25, rtol=1e-6)  # a plain colour stays that


@pytest.mark.parametrize(
    ("item", "options", "word"),
    [
        (ANY, Conversions(resize=True), "takes images of any size"),
        (TEXT, Conversions(resize=True), "--resize is for images; the model takes none"),
        (TEXT, Conversions(grey=True), "--grey is for images; the model takes none"),
        (TEXT, BYTE, "--scale is for fractions; the model takes none"),
    ],
    ids=["any size", "size of text", "colours of text", "scale of ids"],
)
def test_a_conversion_that_makes_no_sense_is_refused(
    item: TensorSpec, options: Conversions, word: str
) -> None:
    rows = np.zeros((2, 5), "int32") if item is TEXT else np.zeros((2, 9, 9, 3), "float32")
    with pytest.raises(DataError, match=word):
        in_memory([rows], [item], conversions=options)


def image(path: Path, size: tuple[int, int] = (6, 4), mode: str = "RGB") -> None:
    path.parent.mkdir(exist_ok=True)
    Image.new(mode, size, {"RGB": (255, 0, 51), "RGBA": (255, 0, 51, 9), "L": 51}.get(mode)).save(
        path
    )


def test_images_are_read_as_they_are_and_scaled_as_asked(tmp_path: Path) -> None:
    image(tmp_path / "a.png")
    data = open_data(str(tmp_path), [COLOURED], conversions=BYTE)
    (batch,) = data.batches()
    assert batch.labels is None
    assert data.said == ("x: scaled by 1/255",)
    np.testing.assert_array_equal(
        batch.inputs[0], np.broadcast_to(np.array([1, 0, 0.2], "float32"), (1, 4, 6, 3))
    )
    (batch,) = open_data(str(tmp_path), [FIRST], conversions=BYTE).batches()
    assert batch.inputs[0].shape == (1, 3, 4, 6)
    np.testing.assert_array_equal(batch.inputs[0][0, :, 0, 0], np.array([1, 0, 0.2], "float32"))


def test_subdirectories_are_classes_in_sorted_order(tmp_path: Path) -> None:
    for name in ("dog/2.png", "dog/1.png", "cat/3.png", "emu/9.png"):
        image(tmp_path / name)
    (tmp_path / "cow").mkdir()
    data = open_data(str(tmp_path), [COLOURED], conversions=BYTE)
    (batch,) = data.batches()
    assert batch.labels is not None
    assert batch.labels.tolist() == [0, 2, 2, 3]
    assert data.said[0] == "labels: 4 subdirectories in sorted order: cat 0, cow 1, dog 2, emu 3"


def test_images_that_do_not_fit_are_changed_as_asked(tmp_path: Path) -> None:
    image(tmp_path / "a.png", (9, 8))
    image(tmp_path / "b.png", (5, 5))
    image(tmp_path / "c.png", (5, 5), "L")
    options = Conversions(resize=True, grey=True, scale=BYTE.scale)
    data = open_data(str(tmp_path), [GREY], conversions=options)
    assert data.said == (
        "images: 2 sizes resized to 4×6 (bilinear)",
        "images: colours turned to grey",
        "x: scaled by 1/255",
    )
    (batch,) = data.batches()
    assert batch.inputs[0].shape == (3, 4, 6, 1)
    grey = round(0.299 * 255 + 0.114 * 51)
    np.testing.assert_allclose(batch.inputs[0][:, 0, 0, 0] * 255, [grey, grey, 51], rtol=1e-6)


def test_grey_and_transparent_images_for_colours_are_said(tmp_path: Path) -> None:
    image(tmp_path / "a.png", mode="L")
    image(tmp_path / "b.png", mode="RGBA")
    data = open_data(str(tmp_path), [COLOURED], conversions=BYTE)
    assert data.said[:2] == (
        "images: 1 grey, their value taken for each colour",
        "images: transparency of 1 dropped",
    )
    (batch,) = data.batches()
    assert batch.inputs[0].shape == (2, 4, 6, 3)


def test_images_of_several_sizes_run_one_by_one_where_any_size_does(tmp_path: Path) -> None:
    image(tmp_path / "a.png", (9, 8))
    image(tmp_path / "b.png", (5, 7))
    batches = list(open_data(str(tmp_path), [ANY], conversions=BYTE).batches())
    assert [batch.inputs[0].shape for batch in batches] == [(1, 8, 9, 3), (1, 7, 5, 3)]


@pytest.mark.parametrize(
    ("names", "item", "options", "word"),
    [
        (["a.png"], COLOURED, Conversions(), "x holds uint8. Add --scale 1/255"),
        (["a.png"], GREY, BYTE, "the image has colours. Add --grey"),
        (["a.png"], TensorSpec("x", (None, 5, 6, 3), "float32"), BYTE, "4×6. Add --resize"),
        (["a.png"], COLOURED, Conversions(grey=True), "--grey makes images of one channel"),
        (["a.png"], ANY, Conversions(resize=True), "takes images of any size"),
        (["a.png"], TEXT, BYTE, "fits models with one image as input; x expects any×5"),
        (["a.png", "cat/a.png"], COLOURED, BYTE, "beside subdirectories with images"),
        (["a.txt"], COLOURED, BYTE, "has no images"),
        (["broken.png"], COLOURED, BYTE, "is no image, or a damaged one"),
        (["deep.png"], COLOURED, BYTE, "expected 8 bits per channel; received I;16"),
    ],
)
def test_images_that_do_not_fit_are_refused(
    tmp_path: Path, names: list[str], item: TensorSpec, options: Conversions, word: str
) -> None:
    for name in names:
        if name == "deep.png":
            Image.fromarray(np.zeros((4, 6), "uint16")).save(tmp_path / name)
        elif name in ("broken.png", "a.txt"):
            (tmp_path / name).write_bytes(b"nothing")
        else:
            image(tmp_path / name)
    with pytest.raises(DataError) as caught:
        open_data(str(tmp_path), [item], conversions=options)
    assert word in str(caught.value)


def test_an_image_that_is_cut_off_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    Image.fromarray(np.random.default_rng(1).integers(0, 255, (4, 6, 3), "uint8")).save(path)
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(DataError, match=r"a\.png is no image, or a damaged one"):
        list(open_data(str(tmp_path), [COLOURED], conversions=BYTE).batches())
