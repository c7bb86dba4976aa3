#!/usr/bin/env python3
"""Exported Python modules as their user has them: module_test.py FOLDER GENERATOR.

What needs NumPy is skipped without it; the protocols themselves are spoken here by classes of our own."""

import array
import ctypes
import os
import subprocess
import sys
import tempfile
import types
import unittest

FOLDER, GENERATOR = os.path.abspath(sys.argv.pop(1)), os.path.abspath(sys.argv.pop(1))
sys.path.insert(0, FOLDER)

import every_type
import small
import stencil
try:
    import numpy
except ImportError:
    numpy = None


class Memory:
    """Something with __array_interface__, and nothing else."""

    def __init__(self, kind, size, values, shape=None, strides=None, readonly=False):
        self.data = array.array({"u1": "B", "f4": "f", "i4": "i", "f8": "d"}[kind + str(size)], values)
        self.__array_interface__ = {
            "version": 3, "typestr": "<%s%d" % (kind, size), "shape": (len(self.data),) if shape is None else shape, "strides": strides,
            "data": (self.data.buffer_info()[0], readonly),
        }


def u8(*values, **options):
    return Memory("u", 1, values, **options)


class OnDevice:
    """A tensor of a GPU that is not there: a capsule with a device pointer that nobody follows."""

    def __init__(self, device, versioned=False, readonly=False):
        self.device, self.versioned, self.readonly, self.streams = device, versioned, readonly, []
        self.shape = (ctypes.c_int64 * 1)(4)

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, *, stream=None, **options):
        if options and not self.versioned:
            raise TypeError("unexpected argument")
        self.streams.append(stream)
        kind = small._Versioned if self.versioned else small._DLTensor
        managed = kind()
        tensor = managed.tensor if self.versioned else managed
        tensor.data, tensor.device_type, tensor.device_id, tensor.ndim = 4096, *self.device, 1
        tensor.code, tensor.bits, tensor.lanes, tensor.shape = 1, 8, 1, self.shape
        if self.versioned:
            managed.major, managed.flags = 1, int(self.readonly)
        self.managed = managed
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        self.name = b"dltensor_versioned" if self.versioned else b"dltensor"
        return new(ctypes.addressof(managed), self.name, None)


class Interface(unittest.TestCase):
    def test_adds_in_place_where_the_memory_lies(self):
        x, out = u8(1, 2, 250), u8(0, 0, 0)
        small.small(x, 10, out)
        self.assertEqual(list(out.data), [11, 12, 4])

    def test_strides_and_keywords(self):
        out = u8(9, 9, 9)
        small.small(u8(3, 2, 1, shape=(3,), strides=(1,)), by=1, out=out)
        self.assertEqual(list(out.data), [4, 3, 2])

    def test_describes_itself(self):
        self.assertEqual([a["name"] for a in small.small_metadata()["arguments"]], ["x", "by", "out"])
        self.assertIn("x: input u8 [dim 0], innermost stride 1", small.small.__doc__)
        self.assertIn("by: scalar u8", small.small.__doc__)
        self.assertIn("in_: input f32 [dim 2, dim 1, 3]", stencil.stencil.__doc__)
        self.assertEqual(small.small_workspace_size(u8(1), 0, u8(1)), 0)
        with self.assertRaisesRegex(ValueError, r"needed float32 \[\*, \*, 3\], given float32 \[3\]"):
            stencil.stencil_workspace_size(1, Memory("f", 4, [1, 2, 3]), 0, Memory("f", 4, [0] * 12, (2, 2, 3)))
        small.small_init(-1)

    def test_words_of_what_does_not_fit(self):
        x, out = u8(1, 2, 3), u8(0, 0, 0)
        f = Memory("f", 4, [1, 2, 3])

        def words(kind, *arguments, module=small.small, **options):
            with self.assertRaises(kind) as caught:
                module(*arguments, **options)
            return str(caught.exception)

        self.assertEqual(words(TypeError, f, 1, out), "small: input `x`: needed uint8 [*], given float32 [3]")
        self.assertEqual(words(ValueError, u8(1, 2, shape=(1, 2)), 1, out), "small: input `x`: needed uint8 [*], given uint8 [1, 2]")
        self.assertEqual(words(TypeError, [1, 2], 1, out),
                         "small: input `x`: needed a tensor that can be used where it lies, given list: it has neither __dlpack__ nor "
                         "__array_interface__ nor __cuda_array_interface__")
        self.assertEqual(words(ValueError, x, 1, u8(0, 0, 0, readonly=True)), "small: output `out`: needed memory to write to, given a read-only tensor")
        self.assertEqual(words(OverflowError, x, 256, out), "small: scalar `by`: needed a value of u8, given 256")
        self.assertEqual(words(TypeError, x, 1.5, out), "small: scalar `by`: needed u8, given 1.5")
        self.assertIn("output `out` overlaps input `x`", words(ValueError, x, 1, x))
        self.assertIn("needed 3, given 2", words(ValueError, u8(1, 2), 1, out).replace("at least ", ""))
        self.assertIn("small: input `x`: dimension 0: needed stride 1, given 2", words(ValueError, u8(1, 2, 3, 4, shape=(2,), strides=(2,)), 1, u8(0, 0)))
        self.assertIn("missing", words(TypeError, x, 1))
        broken = Memory("f", 4, [0] * 18, (2, 3, 3), strides=(36, 13, 4))
        self.assertIn("its strides, (36, 13, 4) bytes, are no multiples of its element of 4", words(TypeError, 1, broken, 0, broken, module=stencil.stencil))
        channels = Memory("f", 4, [0] * 16, (2, 2, 4))
        self.assertEqual(words(ValueError, 1, channels, 0, channels, module=stencil.stencil), "stencil: input `in`: needed float32 [*, *, 3], given float32 [2, 2, 4]")
        foreign = u8(1, 2, 3)
        foreign.__array_interface__["typestr"] = ">i4"
        self.assertIn("big-endian", words(TypeError, foreign, 1, out))
        self.assertEqual(list(out.data), [0, 0, 0], "nothing was written")


class Streams(unittest.TestCase):
    def call(self, *tensors, stream=None):
        """Without a GPU the call ends at the driver, with the arguments checked."""
        x, out = tensors
        try:
            stencil_or_small = small.small
            stencil_or_small(x, 1, out, stream=stream)
        except RuntimeError as error:
            return str(error)
        self.fail("a call on pointers of no device succeeded")

    def setUp(self):
        if os.path.exists("/dev/nvidiactl"):
            self.skipTest("made-up pointers are not for a real device")

    def test_without_a_driver_the_words_say_what_the_library_holds(self):
        x, out = OnDevice((2, 0)), OnDevice((2, 0))
        text = self.call(x, out)
        self.assertIn("small: compiled for host, cuda (ptx sm_80): no CUDA driver", text)
        self.assertEqual((x.streams, out.streams), ([1], [1]))

    def test_a_stream_is_told_to_the_producers(self):
        for stream in (77, types.SimpleNamespace(cuda_stream=77), types.SimpleNamespace(ptr=77),
                       types.SimpleNamespace(handle=ctypes.c_void_p(77)), types.SimpleNamespace(__cuda_stream__=lambda: (0, 77))):
            x = OnDevice((2, 0), versioned=True)
            self.call(x, OnDevice((2, 0)), stream=stream)
            self.assertEqual(x.streams, [77])

    def test_the_current_stream_of_the_tensors_library(self):
        class Tensor(OnDevice):
            pass

        Tensor.__module__ = "torch"
        current = types.SimpleNamespace(current_stream=lambda device: types.SimpleNamespace(cuda_stream=55))
        sys.modules["torch"] = types.SimpleNamespace(cuda=current, Tensor=type("Other", (), {}))
        try:
            x = Tensor((2, 0))
            self.call(x, OnDevice((2, 0)))
            self.assertEqual(x.streams, [55])
        finally:
            del sys.modules["torch"]

    def test_cuda_array_interface(self):
        class Array:
            __cuda_array_interface__ = {"version": 3, "typestr": "|u1", "shape": (4,), "strides": None, "data": (4096, False), "stream": 2}

        self.assertIn("no CUDA driver", self.call(Array(), Array()))
        self.assertEqual(small._stream_handle(None, [u8(1), Array()]), 2)

    def test_read_only_capsules(self):
        with self.assertRaisesRegex(ValueError, "read-only"):
            small.small(OnDevice((2, 0)), 1, OnDevice((2, 0), versioned=True, readonly=True))
        self.assertIn("no CUDA driver", self.call(OnDevice((2, 0), versioned=True, readonly=True), OnDevice((2, 0), versioned=True)))


class Gradients(unittest.TestCase):
    def test_are_not_dropped_without_a_word(self):
        class Tensor(Memory):
            requires_grad = True

            def detach(self):
                return u8(*self.data)

        enabled = [True]
        sys.modules["torch"] = types.SimpleNamespace(Tensor=Tensor, is_grad_enabled=lambda: enabled[0])
        try:
            x, out = Tensor("u", 1, [1, 2]), u8(0, 0)
            with self.assertRaisesRegex(ValueError, "input `x`: it requires a gradient, which is not computed here"):
                small.small(x, 1, out)
            enabled[0] = False
            small.small(x, 1, out)
            self.assertEqual(list(out.data), [2, 3])
            with self.assertRaisesRegex(ValueError, "output `out`: it requires a gradient"):
                small.small(u8(1, 2), 1, x)
        finally:
            del sys.modules["torch"]


@unittest.skipIf(numpy is None, "NumPy is not installed")
class WithNumPy(unittest.TestCase):
    def test_a_stencil(self):
        image = numpy.arange(5 * 8 * 3, dtype=numpy.float32).reshape(5, 8, 3) % 17
        out = numpy.zeros((5, 7, 3), numpy.float32)
        stencil.stencil(0.5, image, numpy.int32(3), out)
        numpy.testing.assert_array_equal(out, (image[:, :-1] + image[:, 1:]) * numpy.float32(0.5) + 3)

    def test_views_are_used_where_they_lie(self):
        image = numpy.arange(9 * 20 * 3, dtype=numpy.float32).reshape(9, 20, 3)
        frame = numpy.full((9, 20, 3), -1, numpy.float32)
        stencil.stencil(1, image[::2, 2:10], -1, frame[1:6, 3:10])
        want = image[::2, 2:9] + image[::2, 3:10] - 1
        numpy.testing.assert_array_equal(frame[1:6, 3:10], want)
        self.assertEqual((frame == -1).sum(), frame.size - want.size + (want == -1).sum())
        flipped = numpy.zeros((9, 19, 3), numpy.float32)
        stencil.stencil(1, image[::-1], 0, flipped)
        numpy.testing.assert_array_equal(flipped, image[::-1, :-1] + image[::-1, 1:])

    def test_every_type(self):
        n = 6
        flag = numpy.arange(n) % 2 == 0
        half = numpy.arange(n, dtype=numpy.float16) + numpy.float16(0.5)
        byte, wide = numpy.arange(n, dtype=numpy.uint8) * 40, numpy.arange(n, dtype=numpy.int64) - 3
        exact, out = numpy.array(0.25), numpy.zeros(n)
        # NumPy has no bf16; its bits do.
        bits = numpy.array([0x3F80, 0x4000, 0x4040, 0x4080, 0x40A0, 0x40C0], numpy.uint16)

        class Brain:
            dtype = types.SimpleNamespace(name="bfloat16")
            __array_interface__ = dict(bits.__array_interface__, typestr="<V2")

        for invert in (False, True, numpy.True_):
            every_type.every_type(flag, half, Brain(), byte, wide, exact, invert, 2**53, out)
            brain = numpy.arange(n) + 1.0
            want = numpy.where(flag != invert, half + brain, byte.astype(float) + wide) + 0.25 + 2.0**53
            numpy.testing.assert_array_equal(out, want)

    def test_dlpack(self):
        class OnlyDLPack:
            def __init__(self, a):
                self.a = a

            def __dlpack__(self, *, stream=None):
                assert stream is None
                return self.a.__dlpack__()

            def __dlpack_device__(self):
                return self.a.__dlpack_device__()

        x, out = numpy.arange(40, dtype=numpy.uint8), numpy.zeros(20, numpy.uint8)
        for _ in range(1000):  # what is borrowed is given back
            small.small(OnlyDLPack(x[7:27]), 1, OnlyDLPack(out))
        numpy.testing.assert_array_equal(out, x[8:28])
        self.assertLess(sys.getrefcount(x), 10)
        with self.assertRaisesRegex(TypeError, r"needed uint8 \[\*\], given float64 \[2\]"):
            small.small(OnlyDLPack(numpy.zeros(2)), 1, OnlyDLPack(out))
        x.flags.writeable = False
        small.small(x[:20], 3, out)
        numpy.testing.assert_array_equal(out, x[:20] + 3)
        out.flags.writeable = False
        with self.assertRaisesRegex(ValueError, "output `out`: needed memory to write to"):
            small.small(x[:20], 3, out)


class Export(unittest.TestCase):
    def test_the_modules_share_one_runtime(self):
        with open("/proc/self/maps", encoding="utf-8") as maps:
            runtimes = {line.split()[-1] for line in maps if "libsinter_runtime" in line}
        self.assertEqual([os.path.dirname(r) for r in runtimes], [os.path.realpath(FOLDER)])

    def generate(self, *arguments, **environment):
        return subprocess.run([GENERATOR, *arguments], env={**os.environ, **environment}, capture_output=True, text=True, check=False)

    def test_a_package_moves(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.generate("small", "--out", os.path.join(folder, "first", "package"), "--target", "host", "--emit", "python")
            self.assertEqual(done.returncode, 0, done.stderr)
            names = sorted(os.path.basename(line) for line in done.stdout.split())
            self.assertEqual(names, sorted(os.listdir(os.path.join(folder, "first", "package"))))
            self.assertEqual([n.partition("-")[0] for n in names], ["libsinter_runtime", "libsmall.so", "small.py"])
            os.rename(os.path.join(folder, "first"), os.path.join(folder, "second"))
            program = "import array, ctypes\nfrom package import small\nprint(small.small_metadata()['versions'])"
            ran = subprocess.run([sys.executable, "-c", program], cwd=os.path.join(folder, "second"), capture_output=True, text=True, check=False)
            self.assertIn("'target': 'host'", ran.stdout, ran.stderr)

    def test_what_can_not_be_exported(self):
        with tempfile.TemporaryDirectory() as folder:
            options = ("--out", folder, "--target", "host", "--emit", "python")
            named = self.generate("lambda", *options)
            self.assertEqual(named.returncode, 1)
            self.assertIn("error[E0603]: the module's file `lambda` can't be a name in Python", named.stderr)
            unlinked = self.generate("small", *options, CC="no-such-compiler -O2")
            self.assertIn("error[E0603]: Python module of `small`: there is no C compiler to link it with: looked for `no-such-compiler`", unlinked.stderr)
            failing = self.generate("small", *options, CC="false")
            self.assertIn("error[E0605]", failing.stderr)
            self.assertIn("can't link libsmall.so", failing.stderr)
            self.assertEqual(os.listdir(folder), [])


if __name__ == "__main__":
    unittest.main()
