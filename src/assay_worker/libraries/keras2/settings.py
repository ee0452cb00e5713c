"""What the backends of Keras 2 read from the environment, for workers and for scripts."""

#: By backend; what is set already stays.
VARIABLES = {
    # Without a C compiler, and quick to compile: seconds instead of minutes for a small model.
    "theano": {
        "THEANO_FLAGS": "device=cpu,floatX=float32,cxx=,optimizer=fast_compile,"
        "optimizer_excluding=AbstractConvCheck"
    },
    # CNTK 2.7 dies of a division by zero where it differentiates with one thread.
    "cntk": {"OMP_NUM_THREADS": "2", "MKL_NUM_THREADS": "2"},
}
