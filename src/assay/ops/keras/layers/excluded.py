"""Exported classes of ``keras.layers`` that the vocabulary leaves out, and why.

Names under which a class of the vocabulary is exported a second time are in
``ALIASES``: to call them is to call the class.
"""

_STOCHASTIC = "random in every mode that does something: no two backends draw the same"
_STRINGS = "its input is text"
_BASE = "a base class: it computes nothing by itself"
_FOREIGN = "wraps an object of another library, which a case cannot describe"
_BOXES = "works on images together with bounding boxes in a dictionary"

#: Name -> reason.
EXCLUDED = {
    "AugMix": _STOCHASTIC,
    "CutMix": _STOCHASTIC,
    "FlaxLayer": _FOREIGN,
    "InputLayer": "a placeholder of a model: it has no call",
    "InputSpec": "a description of an input, not a layer",
    "JaxLayer": _FOREIGN,
    "Lambda": "its meaning is a Python function, which a case cannot describe",
    "Layer": _BASE,
    "MaxNumBoundingBoxes": _BOXES,
    "MixUp": _STOCHASTIC,
    "Pipeline": "a container that calls layers in order, as a chain of nodes does",
    "RandAugment": _STOCHASTIC,
    "RandomBrightness": _STOCHASTIC,
    "RandomColorDegeneration": _STOCHASTIC,
    "RandomColorJitter": _STOCHASTIC,
    "RandomContrast": _STOCHASTIC,
    "RandomCrop": _STOCHASTIC,
    "RandomElasticTransform": _STOCHASTIC,
    "RandomErasing": _STOCHASTIC,
    "RandomFlip": _STOCHASTIC,
    "RandomGaussianBlur": _STOCHASTIC,
    "RandomGrayscale": _STOCHASTIC,
    "RandomHue": _STOCHASTIC,
    "RandomInvert": _STOCHASTIC,
    "RandomPerspective": _STOCHASTIC,
    "RandomPosterization": _STOCHASTIC,
    "RandomRotation": _STOCHASTIC,
    "RandomSaturation": _STOCHASTIC,
    "RandomSharpness": _STOCHASTIC,
    "RandomShear": _STOCHASTIC,
    "RandomTranslation": _STOCHASTIC,
    "RandomZoom": _STOCHASTIC,
    "StackedRNNCells": "takes nested lists of states; drawn as the cell of keras.layers.RNN",
    "StringLookup": _STRINGS,
    "TFSMLayer": _FOREIGN,
    "TextVectorization": _STRINGS,
    "TorchModuleWrapper": _FOREIGN,
    "Wrapper": _BASE,
}

#: Second name -> the name in the vocabulary.
ALIASES = {
    **{f"AvgPool{n}D": f"AveragePooling{n}D" for n in (1, 2, 3)},
    **{f"MaxPool{n}D": f"MaxPooling{n}D" for n in (1, 2, 3)},
    **{f"GlobalAvgPool{n}D": f"GlobalAveragePooling{n}D" for n in (1, 2, 3)},
    **{f"GlobalMaxPool{n}D": f"GlobalMaxPooling{n}D" for n in (1, 2, 3)},
    **{f"Convolution{n}D": f"Conv{n}D" for n in (1, 2, 3)},
    **{f"Convolution{n}DTranspose": f"Conv{n}DTranspose" for n in (1, 2, 3)},
    **{f"SeparableConvolution{n}D": f"SeparableConv{n}D" for n in (1, 2)},
}
