"""Keras 2 on its TensorFlow, Theano and CNTK backends."""
