"""Cases of normalisation."""

CASES = {
    "native_layer_norm": ["F.layer_norm(x(2, 3, 5), (5,), x(5), x(5))", "F.layer_norm(x(2, 3, 5), (3, 5))", "F.layer_norm(x(5), (5,), x(5))",
                          "F.layer_norm(x(0, 5), (5,), x(5), x(5), 0.1)"],
    "native_group_norm": ["F.group_norm(x(2, 6, 3), 3, x(6), x(6))", "F.group_norm(x(2, 6), 2)", "F.group_norm(x(2, 4, 2, 2), 1, x(4), x(4), 0.1)"],
    "native_batch_norm": [
        "F.batch_norm(x(4, 3, 2), None, None, x(3), x(3), True)", "F.batch_norm(x(4, 3), None, None, None, None, True, 0.1, 0.1)",
        "F.batch_norm(x(4, 3, 2, 2), x(3).detach(), pos(3).detach(), x(3), x(3), False)",
        "(lambda m, v: (F.batch_norm(x(4, 3, 2), m, v, x(3), x(3), True, 0.3), m, v))(x(3).detach(), pos(3).detach())"],
    "instance_norm": ["F.instance_norm(x(2, 3, 4), None, None, x(3), x(3))", "F.instance_norm(x(2, 3, 4), x(3).detach(), pos(3).detach())"],
    "rms_norm": ["F.rms_norm(x(2, 3, 5), (5,), x(5))", "F.rms_norm(x(2, 3, 5), (3, 5), eps=0.1)"],
    "normalize": ["F.normalize(x(2, 5))", "F.normalize(x(2, 5), 1.0, 0)", "F.local_response_norm(x(2, 4, 3), 2)"],
}
SPECIAL = {
    "normalize": ["F.normalize(t([[0., 0.], [3., 4.]]))"],
    "native_layer_norm": ["F.layer_norm(t([[1., 1., 1.], [0., 0., 3.]]), (3,))"],
}
ERRORS = {
    "native_layer_norm": ["F.layer_norm(x(2, 5), (4,))", "F.layer_norm(x(2, 5), (5,), x(4))", "F.layer_norm(x(2, 5), (5,), x(5), x(4))",
                          "F.layer_norm(x(2, 5), ())", "F.layer_norm(x(2, 5), (5,), x(5).double())", "F.layer_norm(i(5, 2, 5), (5,))"],
    "native_group_norm": ["F.group_norm(x(2, 5, 3), 2)", "F.group_norm(x(2, 4, 3), 2, x(3))", "F.group_norm(x(2, 4, 3), 2, x(4), x(3))"],
    "native_batch_norm": ["F.batch_norm(x(2, 5, 3), None, None, x(4), None, True)", "F.batch_norm(x(2, 5, 3), None, None, None, None, False)",
                          "F.batch_norm(x(2, 5, 3), x(4), x(5), None, None, True)"],
    "rms_norm": ["F.rms_norm(x(2, 5), (4,))", "F.rms_norm(x(2, 5), (5,), x(4))"],
}
