"""A bare ``model.predict``: what ``check_overhead.py`` compares with.

    python bare_predict.py BACKEND eager|compiled MODEL.keras IMAGES.npy

Prints the CPU seconds of predicting all images, after a first batch that warms up. Eager is how
the target of that backend runs; compiled is what Keras does by itself where the backend can.
"""

import os
import sys
import time

os.environ["KERAS_BACKEND"] = sys.argv[1]

import keras
import numpy as np

model = keras.models.load_model(sys.argv[3], compile=False)
model.run_eagerly = sys.argv[2] == "eager"
images = np.load(sys.argv[4])
model.predict(images[:32], batch_size=32, verbose=0)
before = time.process_time()
model.predict(images, batch_size=32, verbose=0)
print(time.process_time() - before)
