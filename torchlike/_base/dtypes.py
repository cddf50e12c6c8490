"""PyTorch's dtypes, as objects, with the numpy dtype that carries each.

Follows https://pytorch.org/docs/stable/tensor_attributes.html#torch.dtype.
"""

import ml_dtypes
import numpy as np

BOOL, INT, FLOAT, COMPLEX = range(4)


class dtype:  # noqa: N801 - PyTorch's name
    """The type of a tensor's elements. dtypes are compared by identity. `itemsize` is in bytes, `np` the numpy dtype, and
    `category` orders bool < integer < floating < complex. Error texts use `scalar_name` (Float) or `cpp_name`, the
    name in C++ (float).

    Args:
        name, np_dtype, category, scalar_name, cpp_name: the attributes of that name; `np_dtype` becomes `np`.
    """

    __slots__ = ("category", "cpp_name", "is_complex", "is_floating_point", "is_signed", "itemsize", "name",
                 "np", "scalar_name")

    def __init__(self, name: str, np_dtype, category: int, scalar_name: str, cpp_name: str):
        self.name = name
        self.np = np.dtype(np_dtype)
        self.category = category
        self.scalar_name, self.cpp_name = scalar_name, cpp_name
        self.itemsize = 4 if name in ("complex32", "bcomplex32") else self.np.itemsize
        self.is_floating_point = category == FLOAT
        self.is_complex = category == COMPLEX
        self.is_signed = not (name.startswith("uint") or name in ("bool", "float8_e8m0fnu"))

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self):
        return "bool_" if self.name == "bool" else self.name

    def __deepcopy__(self, memo):
        return self

    def __getattr__(self, name):
        raise AttributeError(f"'torch.dtype' object has no attribute '{name}'")

    @property
    def abbr(self) -> str:
        """Its name in short, as ``f32``."""
        kind = "".join(c for c in self.name.partition("_")[0] if c.isalpha())
        if self.name.startswith(("float8", "float4")):
            return self.name.replace("float", "f", 1).replace("_", "")
        return f"{_SHORT[kind]}{self.itemsize * 8}"

    def to_complex(self) -> "dtype":
        """The complex dtype with this precision.

        Raises:
            RuntimeError: a float of 8 bits has none, nor what is a name only.
        """
        if self in FLOAT8 or self in SMALL:
            raise RuntimeError(f"Unknown Complex ScalarType for {self.scalar_name}")
        return {float16: complex32, float64: complex128}.get(self, self if self.is_complex else complex64)

    def to_real(self) -> "dtype":
        """The real dtype with this precision."""
        return {complex64: float32, complex128: float64, complex32: float16, bcomplex32: bfloat16}.get(self, self)


_SHORT = {"float": "f", "bfloat": "bf", "complex": "c", "bcomplex": "bc", "int": "i", "uint": "u", "bool": "b"}

# PyTorch has complex32, and bcomplex32 since 2.14; JAX has no such types, so no operator accepts them.
complex32 = dtype("complex32", np.complex64, COMPLEX, "ComplexHalf", "c10::complex<c10::Half>")
bcomplex32 = dtype("bcomplex32", np.complex64, COMPLEX, "ComplexBFloat16", "c10::complex<c10::BFloat16>")
bool_ = dtype("bool", np.bool_, BOOL, "Bool", "bool")
uint8 = dtype("uint8", np.uint8, INT, "Byte", "unsigned char")
int8 = dtype("int8", np.int8, INT, "Char", "signed char")
int16 = dtype("int16", np.int16, INT, "Short", "short int")
int32 = dtype("int32", np.int32, INT, "Int", "int")
int64 = dtype("int64", np.int64, INT, "Long", "long int")
uint16 = dtype("uint16", np.uint16, INT, "UInt16", "short unsigned int")
uint32 = dtype("uint32", np.uint32, INT, "UInt32", "unsigned int")
uint64 = dtype("uint64", np.uint64, INT, "UInt64", "long unsigned int")
float16 = dtype("float16", np.float16, FLOAT, "Half", "c10::Half")
bfloat16 = dtype("bfloat16", ml_dtypes.bfloat16, FLOAT, "BFloat16", "c10::BFloat16")
float32 = dtype("float32", np.float32, FLOAT, "Float", "float")
float64 = dtype("float64", np.float64, FLOAT, "Double", "double")
float8_e4m3fn = dtype("float8_e4m3fn", ml_dtypes.float8_e4m3fn, FLOAT, "Float8_e4m3fn", "c10::Float8_e4m3fn")
float8_e5m2 = dtype("float8_e5m2", ml_dtypes.float8_e5m2, FLOAT, "Float8_e5m2", "c10::Float8_e5m2")
float8_e4m3fnuz = dtype("float8_e4m3fnuz", ml_dtypes.float8_e4m3fnuz, FLOAT, "Float8_e4m3fnuz", "c10::Float8_e4m3fnuz")
float8_e5m2fnuz = dtype("float8_e5m2fnuz", ml_dtypes.float8_e5m2fnuz, FLOAT, "Float8_e5m2fnuz", "c10::Float8_e5m2fnuz")
float8_e8m0fnu = dtype("float8_e8m0fnu", ml_dtypes.float8_e8m0fnu, FLOAT, "Float8_e8m0fnu", "c10::Float8_e8m0fnu")
# Two numbers in a byte. It is a name: no operator accepts it.
float4_e2m1fn_x2 = dtype("float4_e2m1fn_x2", np.uint8, FLOAT, "Float4_e2m1fn_x2", "c10::Float4_e2m1fn_x2")
complex64 = dtype("complex64", np.complex64, COMPLEX, "ComplexFloat", "c10::complex<float>")
complex128 = dtype("complex128", np.complex128, COMPLEX, "ComplexDouble", "c10::complex<double>")

# Quantized numbers. They are names: no operator accepts them.
qint8 = dtype("qint8", np.int8, INT, "QInt8", "c10::qint8")
quint8 = dtype("quint8", np.uint8, INT, "QUInt8", "c10::quint8")
qint32 = dtype("qint32", np.int32, INT, "QInt32", "c10::qint32")
quint4x2 = dtype("quint4x2", np.uint8, INT, "QUInt4x2", "c10::quint4x2")
quint2x4 = dtype("quint2x4", np.uint8, INT, "QUInt2x4", "c10::quint2x4")

# Integers of less than 8 bits: each lies in a byte. They are names, too.
SMALL = int1, int2, int3, int4, int5, int6, int7, uint1, uint2, uint3, uint4, uint5, uint6, uint7 = tuple(
    dtype(f"{sign}int{bits}", f"{sign}int8", INT, f"{sign.upper()}Int{bits}", f"c10::dummy_{sign}int1_7_t<{bits}>")
    for sign in ("", "u") for bits in range(1, 8))

NAMES_ONLY = (complex32, bcomplex32, float4_e2m1fn_x2, qint8, quint8, qint32, quint4x2, quint2x4, *SMALL)
FLOAT8 = (float8_e4m3fn, float8_e5m2, float8_e4m3fnuz, float8_e5m2fnuz, float8_e8m0fnu)
ALL = (bool_, uint8, int8, int16, int32, int64, uint16, uint32, uint64,
       float16, bfloat16, float32, float64, *FLOAT8, complex64, complex128)
BY_NP = {d.np: d for d in ALL}
BY_NAME = {d.name: d for d in ALL}
ALIASES = {"half": float16, "float": float32, "double": float64, "short": int16, "int": int32,
           "long": int64, "cfloat": complex64, "cdouble": complex128}
# What `torch.tensor` makes of a Python number (float follows the default dtype).
OF_PYTHON = {bool: bool_, int: int64}


def from_np(np_dtype) -> dtype:
    """The dtype that numpy's `np_dtype` carries; TypeError with PyTorch's text if none."""
    found = BY_NP.get(np.dtype(np_dtype))
    if found is None:
        kind = np.dtype(np_dtype).type
        raise TypeError(
            f"can't convert np.ndarray of type {kind.__module__}.{kind.__name__}. The only supported types "
            "are: float64, float32, float16, complex64, complex128, int64, int32, int16, int8, "
            "uint64, uint32, uint16, uint8, and bool."
        )
    return found
