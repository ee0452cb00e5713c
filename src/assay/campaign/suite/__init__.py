"""ONNX's own cases of single operators, on several runtimes."""
