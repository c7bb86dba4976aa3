# What every exported Python module begins with: tensors of any library to DLTensors, without copies, and errors to exceptions. Needs
# nothing but the interpreter. The functions of the pipeline follow it.
import ctypes as _ctypes
import json as _json
import operator as _operator
import os as _os
import sys as _sys

_CPU, _CUDA, _CUDA_HOST, _CUDA_MANAGED = 1, 2, 3, 13  # DLPack's device types
_ON_DEVICE = (_CUDA, _CUDA_MANAGED)
_KINDS = {"i": 0, "u": 1, "f": 2, "bf": 4, "c": 5, "bool": 6}  # DLPack's type codes
_WORDS = {0: "int", 1: "uint", 2: "float", 4: "bfloat", 5: "complex", 6: "bool", 10: "float8_e4m3fn", 12: "float8_e5m2"}
_F8 = {"float8_e4m3fn": 10, "float8_e5m2": 12}  # the names of ml_dtypes
_SCALARS = {
    "bool": _ctypes.c_bool, "f16": _ctypes.c_float, "bf16": _ctypes.c_float, "f32": _ctypes.c_float, "f8e4m3": _ctypes.c_float,
    "f8e5m2": _ctypes.c_float, "f64": _ctypes.c_double,
    "i8": _ctypes.c_int8, "i16": _ctypes.c_int16, "i32": _ctypes.c_int32, "i64": _ctypes.c_int64,
    "u8": _ctypes.c_uint8, "u16": _ctypes.c_uint16, "u32": _ctypes.c_uint32, "u64": _ctypes.c_uint64,
}
# The runtime's status codes: an element type, what is wrong with an argument, memory; else RuntimeError.
_EXCEPTIONS = {3: TypeError, 12: MemoryError, **{code: ValueError for code in (1, 2, 4, 5, 6, 7, 8, 9)}}


class _DLTensor(_ctypes.Structure):
    _fields_ = [
        ("data", _ctypes.c_void_p), ("device_type", _ctypes.c_int32), ("device_id", _ctypes.c_int32), ("ndim", _ctypes.c_int32),
        ("code", _ctypes.c_uint8), ("bits", _ctypes.c_uint8), ("lanes", _ctypes.c_uint16),
        ("shape", _ctypes.POINTER(_ctypes.c_int64)), ("strides", _ctypes.POINTER(_ctypes.c_int64)), ("byte_offset", _ctypes.c_uint64),
    ]


class _Versioned(_ctypes.Structure):  # DLManagedTensorVersioned
    _fields_ = [
        ("major", _ctypes.c_uint32), ("minor", _ctypes.c_uint32), ("context", _ctypes.c_void_p), ("deleter", _ctypes.c_void_p),
        ("flags", _ctypes.c_uint64), ("tensor", _DLTensor),
    ]


_capsule_is = _ctypes.pythonapi.PyCapsule_IsValid
_capsule_is.restype, _capsule_is.argtypes = _ctypes.c_int, [_ctypes.py_object, _ctypes.c_char_p]
_capsule_pointer = _ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype, _capsule_pointer.argtypes = _ctypes.c_void_p, [_ctypes.py_object, _ctypes.c_char_p]


class _View:
    """A tensor as a DLTensor. It owns nothing of the data: the caller's object does."""

    def __init__(self, tensor, owner, readonly=False, stream=None):
        self.tensor, self.owner, self.readonly, self.stream = tensor, owner, readonly, stream


def _from_capsule(capsule):
    # The capsule is borrowed, never consumed: as long as it lives, so does what it points to, and it frees it.
    if _capsule_is(capsule, b"dltensor"):
        return _View(_DLTensor.from_address(_capsule_pointer(capsule, b"dltensor")), capsule)
    if _capsule_is(capsule, b"dltensor_versioned"):
        managed = _Versioned.from_address(_capsule_pointer(capsule, b"dltensor_versioned"))
        if managed.major != 1:
            raise BufferError("it speaks version %d of DLPack" % managed.major)
        return _View(managed.tensor, capsule, bool(managed.flags & 1))
    raise BufferError("its __dlpack__() gives no DLPack capsule")


def _from_interface(value, interface, device):
    # __array_interface__ of NumPy, __cuda_array_interface__ of Numba and others.
    typestr = interface["typestr"]
    order, kind, size = typestr[0], typestr[1], int(typestr[2:])
    if order == ">" and size > 1:
        raise BufferError("its bytes are in big-endian order")
    if interface.get("mask") is not None:
        raise BufferError("it has a mask")
    name = getattr(getattr(value, "dtype", None), "name", "")
    if kind == "b":
        code = _KINDS["bool"]
    elif kind == "V" and name == "bfloat16":
        code = _KINDS["bf"]
    elif kind in "Vf" and name in _F8:
        code = _F8[name]
    elif kind in "iufc":
        code = _KINDS[kind]
    else:
        raise BufferError("its element type is %s" % (name or typestr))
    shape, strides = tuple(interface["shape"]), interface.get("strides")
    rank = len(shape)
    pointer, readonly = interface["data"]
    tensor = _DLTensor(pointer or None, device, 0, rank, code, 8 * size, 1, (_ctypes.c_int64 * rank)(*shape))
    if strides is not None:
        if any(s % size for s, extent in zip(strides, shape) if extent > 1):
            raise BufferError("its strides, %s bytes, are no multiples of its element of %d" % (tuple(strides), size))
        tensor.strides = (_ctypes.c_int64 * rank)(*(s // size for s in strides))
    return _View(tensor, value, readonly, interface.get("stream"))


def _from_dlpack(value, stream):
    options = {}
    if value.__dlpack_device__()[0] in _ON_DEVICE:
        options["stream"] = stream or 1  # DLPack's number of the legacy default stream
    try:
        return _from_capsule(value.__dlpack__(max_version=(1, 0), **options))
    except TypeError:  # written before DLPack had versions
        return _from_capsule(value.__dlpack__(**options))


def _view(value, stream):
    interface = getattr(value, "__array_interface__", None)
    if not isinstance(interface, dict) or not isinstance(interface.get("data"), tuple):  # bytes in there would be a copy
        interface = None
    if hasattr(value, "__dlpack__") and hasattr(value, "__dlpack_device__"):
        try:
            return _from_dlpack(value, stream)
        except (BufferError, TypeError):
            if interface is None:  # which says what DLPack can't: that memory is read-only, which byte order it has
                raise
    if interface is not None:
        return _from_interface(value, interface, _CPU)
    interface = getattr(value, "__cuda_array_interface__", None)
    if isinstance(interface, dict):
        return _from_interface(value, interface, _CUDA)
    raise BufferError("it has neither __dlpack__ nor __array_interface__ nor __cuda_array_interface__")


def _on_device(value):
    if hasattr(value, "__dlpack_device__"):
        return value.__dlpack_device__()[0] in _ON_DEVICE
    return not hasattr(value, "__array_interface__") and hasattr(value, "__cuda_array_interface__")


def _current_stream(value):
    """The stream on which the library of a device tensor would enqueue its next operation."""
    library = type(value).__module__.partition(".")[0]
    if library == "torch":
        return _sys.modules["torch"].cuda.current_stream(value.device).cuda_stream
    if library == "cupy":
        return _sys.modules["cupy"].cuda.get_current_stream().ptr
    return getattr(value, "__cuda_array_interface__", {}).get("stream") or 0


def _stream_handle(stream, values):
    if stream is None:
        return next((_current_stream(v) for v in values if _on_device(v)), 0)
    if hasattr(stream, "__cuda_stream__"):
        return stream.__cuda_stream__()[1]
    for name in ("cuda_stream", "ptr", "handle"):  # torch, cupy, numba
        handle = getattr(stream, name, None)
        if handle is not None:
            return _operator.index(getattr(handle, "value", handle))
    return _operator.index(stream)


class _Library:
    """The C functions of one pipeline."""

    def __init__(self, file, name):
        self.name = name
        self.library = _ctypes.CDLL(_os.path.join(_os.path.dirname(_os.path.abspath(__file__)), file))
        self.last_error = self.library.sinter_last_error
        self.last_error.restype = _ctypes.c_char_p
        describe = getattr(self.library, name + "_metadata")
        describe.restype = _ctypes.c_char_p
        self.metadata = _json.loads(describe().decode())
        self.arguments = self.metadata["arguments"]
        types = [_SCALARS[a["type"]] if a["kind"] == "scalar" else _ctypes.c_void_p for a in self.arguments]
        self.function = getattr(self.library, name)
        self.function.argtypes = types + [_ctypes.c_void_p]
        self.size = getattr(self.library, name + "_workspace_size")
        self.size.restype, self.size.argtypes = _ctypes.c_int64, types
        self.prepare = getattr(self.library, name + "_init")

    def fail(self, argument, text, error=ValueError):
        raise error("%s: %s `%s`: %s" % (self.name, argument["kind"], argument["name"], text))

    def check(self, status):
        if status:
            raise _EXCEPTIONS.get(status, RuntimeError)(self.last_error().decode())

    def scalar(self, argument, value):
        kind = _SCALARS[argument["type"]]
        try:
            if kind is _ctypes.c_bool:
                return bool(value)
            if kind in (_ctypes.c_float, _ctypes.c_double):
                return float(value)
            value = _operator.index(value)
        except (TypeError, ValueError):
            self.fail(argument, "needed %s, given %r" % (argument["type"], value), TypeError)
        if kind(value).value != value:
            self.fail(argument, "needed a value of %s, given %d" % (argument["type"], value), OverflowError)
        return value

    def tensor(self, argument, value, stream):
        torch = _sys.modules.get("torch")
        if torch is not None and isinstance(value, torch.Tensor) and value.requires_grad:
            if argument["kind"] == "output" or torch.is_grad_enabled():
                self.fail(argument, "it requires a gradient, which is not computed here: give its detach(), or call under torch.no_grad()")
            value = value.detach()
        try:
            view = _view(value, stream)
        except (BufferError, RuntimeError, TypeError, ValueError) as error:
            self.fail(argument, "needed a tensor that can be used where it lies, given %s: %s" % (type(value).__name__, error), TypeError)
        if view.readonly and argument["kind"] == "output":
            self.fail(argument, "needed memory to write to, given a read-only tensor")
        self.compare(argument, view.tensor)
        return view

    def compare(self, argument, tensor):
        """Type and shape in the words and the order of the caller's library; all else is checked by the call itself."""
        text, needed = argument["type"], argument["shape"]
        kind = text.rstrip("0123456789")
        code, bits = _KINDS.get(kind), int(text[len(kind):] or 8)
        if code is None:
            return
        as_bool = kind == "bool" and tensor.code == _KINDS["u"]  # how older versions of DLPack say it
        same_type = (tensor.code, tensor.bits) == (code, bits) or (as_bool and tensor.bits == bits)
        shape = tensor.shape[:tensor.ndim] if tensor.ndim else []
        fits = len(shape) == len(needed) and all(n is None or n == given for n, given in zip(needed, shape))
        if same_type and fits:
            return
        words = [_WORDS[c] + ("" if c == 6 else str(b)) if c in _WORDS else "type code %d" % c
                 for c, b in ((code, bits), (tensor.code, tensor.bits))]
        extents = [", ".join("*" if n is None else str(n) for n in s) for s in (needed, shape)]
        self.fail(argument, "needed %s [%s], given %s [%s]" % (words[0], extents[0], words[1], extents[1]),
                  ValueError if same_type else TypeError)

    def collect(self, values, stream):
        """What the C function takes, and what has to live until it returns."""
        arguments, views = [], []
        for argument, value in zip(self.arguments, values):
            if argument["kind"] == "scalar":
                arguments.append(self.scalar(argument, value))
            else:
                views.append(self.tensor(argument, value, stream))
                arguments.append(_ctypes.addressof(views[-1].tensor))
        return arguments, views

    def on_device_of(self, views, call):
        """Kernels run on the current device, and that is where the tensors are while they are enqueued."""
        device = next((v.tensor.device_id for v in views if v.tensor.device_type == _CUDA), None)
        current = _ctypes.c_int(-1)
        if device is None or self.library.sinter_rt_device_current(_ctypes.byref(current)) or current.value == device:
            return call()
        self.check(self.library.sinter_rt_device_use(device))
        try:
            return call()
        finally:
            self.library.sinter_rt_device_use(current)

    def call(self, values, stream):
        tensors = [v for a, v in zip(self.arguments, values) if a["kind"] != "scalar"]
        handle = _stream_handle(stream, tensors)
        arguments, views = self.collect(values, handle)
        # Raised inside, where the thread's last error is still this call's.
        self.on_device_of(views, lambda: self.check(self.function(*arguments, handle or None)))

    def workspace_size(self, values):
        arguments, views = self.collect(values, 0)
        size = self.on_device_of(views, lambda: self.size(*arguments))
        if size < 0:
            self.check(-size)
        return size

    def init(self, device):
        self.check(self.prepare(_ctypes.c_int(_operator.index(device))))
