"""Objects made of bytes, by the extensions of the names that they come with."""

import importlib
import io
import json
import os.path
import pickle
import tempfile

import numpy as np

from torchlike._api.from_data import tensor
from torchlike.utils.data.datapipes.utils.common import StreamWrapper

__all__ = ["Decoder", "ImageHandler", "MatHandler", "audiohandler", "basichandlers", "extension_extract_fn",
           "handle_extension", "imagehandler", "mathandler", "videohandler"]

_IMAGES = ("jpg", "jpeg", "png", "ppm", "pgm", "pbm", "pnm")
_VIDEOS = ("mp4", "ogv", "mjpeg", "avi", "mov", "h264", "mpg", "webm", "wmv")
_SOUNDS = ("flac", "mp3", "sox", "wav", "m4a", "ogg", "wma")
_NUMBERS = ("cls", "cls2", "class", "count", "index", "inx", "id")
# Name -> what comes back, the type of its numbers, and the mode that the image is converted to.
imagespecs = {
    "l8": ("numpy", "uint8", "l"),
    "rgb8": ("numpy", "uint8", "rgb"),
    "rgba8": ("numpy", "uint8", "rgba"),
    "l": ("numpy", "float", "l"),
    "rgb": ("numpy", "float", "rgb"),
    "rgba": ("numpy", "float", "rgba"),
    "torchl8": ("torch", "uint8", "l"),
    "torchrgb8": ("torch", "uint8", "rgb"),
    "torchrgba8": ("torch", "uint8", "rgba"),
    "torchl": ("torch", "float", "l"),
    "torchrgb": ("torch", "float", "rgb"),
    "torch": ("torch", "float", "rgb"),
    "torchrgba": ("torch", "float", "rgba"),
    "pill": ("pil", None, "l"),
    "pil": ("pil", None, "rgb"),
    "pilrgb": ("pil", None, "rgb"),
    "pilrgba": ("pil", None, "rgba"),
}


def _package(name: str, told: str, purpose: str, command: str):
    """A package of others; ModuleNotFoundError that tells how to install it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ModuleNotFoundError(f"Package `{told}` is required to be installed for {purpose}.Please use {command}"
                                  "to install the package") from error


def basichandlers(extension: str, data):
    """Texts, whole numbers, JSON and pickles. An extension that is a part of "txt text transcript", as "pt" is, means text,
    as in PyTorch.

    Args:
        extension: of the file's name, without the dot.
        data: bytes.

    Returns: the object; None for other extensions.
    """
    if extension in "txt text transcript":
        return data.decode("utf-8")
    if extension in _NUMBERS:
        try:
            return int(data)
        except ValueError:
            return None
    if extension in "json jsn":
        return json.loads(data)
    if extension in ("pyd", "pickle"):
        return pickle.loads(data)
    return None


def handle_extension(extensions, f):
    """A handler for certain extensions.

    Args:
        extensions: separated by spaces, in any case; one may have several parts, as "seg.jpg".
        f: from bytes to an object.

    Returns: a function of a key and bytes.
    """
    wanted = [target.split(".") for target in extensions.lower().split()]

    def handler(key, data):
        parts = key.lower().split(".")
        for target in wanted:  # the first that is no longer than the key decides, as in PyTorch
            if len(target) <= len(parts):
                return f(data) if parts[-len(target):] == target else None
        return None

    return handler


class ImageHandler:
    """Decodes images, by Pillow.

    Args:
        imagespec: what comes back: a name of `imagespecs`.

    Raises:
        AssertionError: there is no such name.
    """

    def __init__(self, imagespec):
        if imagespec not in imagespecs:
            raise AssertionError(f"unknown image specification: {imagespec}")
        self.imagespec = imagespec.lower()

    def __call__(self, extension, data):
        if extension.lower() not in _IMAGES:
            return None
        pillow = _package("PIL.Image", "PIL", "default image decoder", "`pip install Pillow` ")
        kind, numbers, mode = imagespecs[self.imagespec]
        with io.BytesIO(data) as stream:
            image = pillow.open(stream)
            image.load()
            image = image.convert(mode.upper())
        if kind == "pil":
            return image
        array = np.asarray(image)
        if array.dtype != np.uint8:
            raise AssertionError(f"numpy image array should be type uint8, but got {array.dtype}")
        if kind == "torch":
            channels = tensor(np.array(array.transpose(2, 0, 1)))
            return channels if numbers == "uint8" else channels / 255.0
        return array if numbers == "uint8" else array.astype("f") / 255.0


def imagehandler(imagespec):
    """An `ImageHandler`.

    Args: as for `ImageHandler`.

    Returns: the handler.
    """
    return ImageHandler(imagespec)


def _from_file(extension, data, read):
    """What `read` makes of a file with these bytes."""
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, f"file.{extension}")
        with open(name, "wb") as stream:
            stream.write(data)
            return read(name)


def videohandler(extension, data):
    """Decodes videos, by torchvision.

    Args:
        extension: of the file's name.
        data: bytes.

    Returns: what ``torchvision.io.read_video`` returns; None for other extensions.
    """
    if extension not in _VIDEOS:
        return None
    package = _package("torchvision.io", "torchvision", "default video file loader", "`pip install torchvision`")
    return _from_file(extension, data, package.read_video)


def audiohandler(extension, data):
    """Decodes sound, by torchaudio.

    Args:
        extension: of the file's name.
        data: bytes.

    Returns: what ``torchaudio.load`` returns; None for other extensions.
    """
    if extension not in _SOUNDS:
        return None
    package = _package("torchaudio", "torchaudio", "default audio file loader", "`pip install torchaudio`")
    return _from_file(extension, data, package.load)


class MatHandler:
    """Decodes files of MATLAB, by scipy.

    Args:
        **loadmat_kwargs: those of ``scipy.io.loadmat``.
    """

    def __init__(self, **loadmat_kwargs):
        self.sio = _package("scipy.io", "scipy", "mat file", "`pip install scipy`")
        self.loadmat_kwargs = loadmat_kwargs

    def __call__(self, extension, data):
        if extension != "mat":
            return None
        with io.BytesIO(data) as stream:
            return self.sio.loadmat(stream, **self.loadmat_kwargs)


def mathandler(**loadmat_kwargs):
    """A `MatHandler`.

    Args: as for `MatHandler`.

    Returns: the handler.
    """
    return MatHandler(**loadmat_kwargs)


def extension_extract_fn(pathname):
    """The extension of a path.

    Args:
        pathname: the path.

    Returns: what stands behind its last dot, empty without one.
    """
    return os.path.splitext(pathname)[1].removeprefix(".")


class Decoder:
    """Decodes pairs of a path and bytes or a stream: the first result of a handler that is not None counts.

    Args:
        *handler: functions of a key and bytes.
        key_fn: from a path to the key.
    """

    def __init__(self, *handler, key_fn=extension_extract_fn):
        self.handlers = list(handler)
        self.key_fn = key_fn

    def add_handler(self, *handler) -> None:
        """Add handlers, which go before the others.

        Args:
            *handler: the functions.
        """
        if handler:
            self.handlers = [*handler, *self.handlers]

    @staticmethod
    def _is_stream_handle(data) -> bool:
        stream = data.file_obj if isinstance(data, StreamWrapper) else data
        return isinstance(stream, io.BufferedIOBase | io.RawIOBase)

    def decode1(self, key, data):
        """Decode one file.

        Args:
            key: what the handlers go by.
            data: bytes or a stream, which is closed.

        Returns: the object; the bytes, where no handler knows them.
        """
        if not data:
            return data
        if self._is_stream_handle(data):
            stream, data = data, b"".join(data)
            stream.close()
        for handler in self.handlers:
            result = handler(key, data)
            if result is not None:
                return result
        return data

    def decode(self, data):
        """Decode several files.

        Args:
            data: pairs of a path and bytes or a stream, or one pair as a tuple.

        Returns: a dict from the paths to the objects.
        """
        result = {}
        for path, content in [data] if isinstance(data, tuple) else data or ():
            if path[0] == "_" and isinstance(content, bytes):
                result[path] = content.decode("utf-8")
            else:
                result[path] = self.decode1(self.key_fn(path), content)
        return result

    def __call__(self, data):
        return self.decode(data)
