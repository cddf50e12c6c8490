"""`torch.utils.collect_env`: the report says what is installed."""

import torchlike
import torchlike.utils.collect_env


def test_report(capsys):
    torchlike.utils.collect_env.main()
    printed = capsys.readouterr().out
    for part in (torchlike.__version__, "[pip3] numpy==", "python version"):
        assert part in printed
