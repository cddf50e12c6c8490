"""Cases of short-time Fourier transforms and of frames put back together."""

CASES = {
    "stft": ["torch.stft(x(2, 20), 4, window=x(4), return_complex=True)", "torch.stft(x(20), 5, 2, return_complex=True)",
             "torch.stft(x(20), 6, 3, 4, x(4), normalized=True, return_complex=False)",
             "torch.stft(x(2, 20), 6, 3, 4, x(4), center=False, onesided=False, return_complex=True)",
             "torch.stft(x(2, 20), 6, 3, 4, center=False, align_to_window=True, return_complex=True)",
             "torch.stft(torch.complex(x(2, 20), x(2, 20)), 6, 3, window=x(6))", "x(2, 20).stft(4, pad_mode='constant', return_complex=True)",
             "torch.stft(x(20), 5, 2, window=torch.complex(x(5), x(5)))"],
    "istft": ["torch.istft(torch.complex(x(2, 3, 8), x(2, 3, 8)), 4, window=pos(4))", "torch.istft(torch.complex(x(3, 8), x(3, 8)), 4, 2)",
              "torch.istft(torch.complex(x(3, 8), x(3, 8)), 5, 2, window=pos(5), normalized=True, length=10)",
              "torch.istft(torch.complex(x(3, 8), x(3, 8)), 4, 2, window=pos(4), center=False, length=30)",
              "torch.istft(torch.complex(x(2, 4, 8), x(2, 4, 8)), 4, 2, window=torch.complex(pos(4), pos(4)), return_complex=True)",
              "torch.istft(torch.complex(x(2, 4, 8), x(2, 4, 8)), 4, 2, 3, pos(3), onesided=False)",
              "torch.complex(x(2, 3, 8), x(2, 3, 8)).istft(4, 3, window=pos(4))"],
    "unfold_backward": ["torch.ops.aten.unfold_backward(x(2, 3, 4), [2, 8], 1, 4, 2)", "torch.ops.aten.unfold_backward(x(3, 2, 5), [11, 2], 0, 5, 3)",
                        "torch.ops.aten.unfold_backward(x(2, 3, 2), [2, 13], 1, 2, 5)", "torch.ops.aten.unfold_backward(x(3, 70), [72], 0, 70, 1)"],
}
SPECIAL: dict = {}
ERRORS = {
    "stft": ["torch.stft(x(2, 20), 4, window=x(4))", "torch.stft(x(1, 2, 20), 4, return_complex=True)", "torch.stft(x(2, 20), 0, return_complex=True)",
             "torch.stft(x(2, 20), 30, center=False, return_complex=True)", "torch.stft(x(2, 20), 4, 0, return_complex=True)",
             "torch.stft(x(2, 20), 4, 2, 5, return_complex=True)", "torch.stft(x(2, 20), 4, 2, 3, window=x(4), return_complex=True)",
             "torch.stft(i(5, 20), 4, return_complex=True)", "torch.stft(x(2, 20) + 0j, 4, onesided=True)", "torch.stft(x(20), 4, window=x(4) + 0j, onesided=True)",
             "torch.stft(x(20), 4, align_to_window=True, return_complex=True)", "torch.stft(x(4), 20, return_complex=True)",
             "torch.stft(x(20), 4, onesided=True, window=x(2) + 0j, normalized=True)", "torch.stft(x(20), 4, pad_mode='foo', return_complex=True)"],
    "istft": ["torch.istft(x(2, 3, 8), 4)", "torch.istft(x(3, 8) + 0j, 6)", "torch.istft(x(3, 8) + 0j, 4, onesided=False)", "torch.istft(x(8) + 0j, 4)",
              "torch.istft(x(1, 2, 3, 8) + 0j, 4)", "torch.istft(x(3, 8) + 0j, 4, 0)", "torch.istft(x(3, 8) + 0j, 4, 5)", "torch.istft(x(3, 8) + 0j, 4, 1, 5)",
              "torch.istft(x(3, 8) + 0j, 4, window=x(2))", "torch.istft(x(3, 8) + 0j, 4, window=torch.zeros(4))", "torch.istft(x(3, 0) + 0j, 4)",
              "torch.istft(x(3, 8) + 0j, 4, return_complex=True)", "torch.istft(x(3, 8) + 0j, 4, window=x(4) + 0j)", "torch.istft(x(3, 8) + 0j, 4, length=0)",
              "torch.istft(x(3, 8) + 0j, 4, center=False, window=torch.hann_window(4), length=5, normalized=True, onesided=True)"],
}
