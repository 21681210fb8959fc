"""Serves a GGUF model by llama.cpp's own server: serve.py MODEL PORT. Ends on SIGTERM."""

import signal
import sys

import xllamacpp

params = xllamacpp.CommonParams()
params.model.path, params.port, params.hostnames = sys.argv[1], int(sys.argv[2]), ["127.0.0.1"]
params.n_ctx, params.n_parallel = 8192, 4  # four samples at once, 2,048 tokens each
# llama.cpp's threads wait spinning: with a second one, any other load on the machine slows it down tenfold.
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
params.n_gpu_layers, params.ui, params.model_alias = 0, False, ["local"]
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
signal.pause()
