"""A bare ``model.predict``: what ``check_overhead.py`` compares with.

    python bare_predict.py BACKEND MODEL.keras IMAGES.npy

Prints the CPU seconds of predicting all images, after a first batch that warms up.
"""

import os
import sys
import time

os.environ["KERAS_BACKEND"] = sys.argv[1]

import keras
import numpy as np

model = keras.models.load_model(sys.argv[2], compile=False)
images = np.load(sys.argv[3])
model.predict(images[:32], batch_size=32, verbose=0)
before = time.process_time()
model.predict(images, batch_size=32, verbose=0)
print(time.process_time() - before)
