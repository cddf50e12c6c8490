"""Cases of the layer of an LSTM. PyTorch's takes float32 only and has no second gradient: see `test_recurrent.py`."""

_WEIGHTS = "x(12, 2), x(12, 3), x(12), x(12), x(5, 3), x(5, 3)"
_REST = "[], 2, 3, 1, True, False, False, True"
CASES = {"mkldnn_rnn_layer": [f"torch.mkldnn_rnn_layer(x(4, 5, 2), {_WEIGHTS}, {reverse}, {_REST})[0].detach()"
                              for reverse in (False, True)]}
SPECIAL: dict = {}
ERRORS: dict = {}
