"""Calls from the extension into Python that may wait for the GIL park the thread if the interpreter ends meanwhile.

python/src/interpreter/parked_calls.cc explains why.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import unittest
from pathlib import Path

from ofindex import _ofindex

ROOT = Path(__file__).resolve().parents[2]

#: Functions that run no Python code, free no object and do not touch the GIL, or that are called only while the module
#: is imported. Items are set in new lists and tuples alone. PyObject_CallObject and Py_VaBuildValue are called only by
#: the parked PyObject_CallMethod.
HARMLESS_NAMES = """
    PyBuffer_FillInfo PyBytes_AsString PyBytes_FromStringAndSize PyBytes_Size PyCapsule_GetContext
    PyCapsule_GetPointer PyCapsule_New PyCapsule_SetContext PyCapsule_SetDestructor PyCapsule_SetName PyDict_Next
    PyDict_Size PyErr_ExceptionMatches PyErr_Fetch PyErr_Occurred PyErr_WarnFormat PyEval_SaveThread
    PyException_GetTraceback PyFloat_FromDouble PyFrame_GetBack PyFrame_GetCode PyFrame_GetLineNumber
    PyGILState_GetThisThreadState PyIndex_Check PyInterpreterState_Get PyInterpreterState_GetDict PyList_Append
    PyList_GetItem PyList_GetItemRef PyList_SetItem PyLong_AsDouble PyLong_FromLong PyLong_FromUnsignedLong
    PyLong_FromUnsignedLongLong PyMapping_Check PyMem_Calloc PyMem_Free PyMem_Malloc PyModuleDef_Init PyModule_GetDef
    PyModule_GetDict PyModule_GetState PyModule_NewObject PyNumber_Add PyObject_CallObject PyObject_CheckBuffer
    PyObject_Free PyObject_GC_Del PyObject_GC_Track PyObject_GC_UnTrack PyObject_GetTypeData PyObject_Init
    PyObject_Malloc PyObject_Realloc PySequence_Check PyThreadState_GetUnchecked PyTuple_GetItem PyTuple_SetItem
    PyTuple_Size PyType_FromSpec PyType_GetFlags PyType_GetModuleName PyType_GetName PyType_GetSlot PyType_IsSubtype
    PyType_Ready PyUnicode_AsUTF8 PyUnicode_AsUTF8AndSize PyUnicode_FromString PyUnicode_FromStringAndSize
    PyUnicode_InternFromString PyUnicode_InternInPlace PyVectorcall_NARGS Py_AtExit Py_CompileString
    Py_CompileStringExFlags Py_GenericAlias Py_GenericAliasType Py_IsInitialized Py_VaBuildValue Py_Version
    _PyThreadState_UncheckedGet _PyType_Lookup _PyType_LookupRef _PyWeakref_RefType _Py_IncRef
"""
HARMLESS = frozenset(HARMLESS_NAMES.split())

#: Further functions called when compiled for a newer Python: found with nm in objects built with its headers.
NEWER = {
    "3.12": "PyErr_GetRaisedException PyErr_SetRaisedException PyType_FromMetaclass _PyThreadState_UncheckedGet",
    "3.13": """
        PyDict_GetItemRef PyDict_SetDefaultRef PyErr_FormatUnraisable PyErr_GetRaisedException PyErr_SetRaisedException
        PyObject_GetOptionalAttr PyThreadState_GetUnchecked PyType_FromMetaclass PyType_GetModuleName _PyType_LookupRef
    """,
    "the stable ABI": """
        PyDict_GetItem PyDict_Size PyErr_GetRaisedException PyErr_SetRaisedException PyList_GetItem PyList_SetItem
        PyLong_AsUnsignedLongLongMask PyLong_FromUnsignedLongLong PyNumber_Add PyObject_CallMethod PyObject_GetTypeData
        PyObject_RichCompareBool PyTuple_GetItem PyTuple_SetItem PyTuple_Size PyType_FromMetaclass PyType_GetFlags
        PyVectorcall_NARGS Py_CompileString Py_Version _Py_DecRef _Py_IncRef
    """,
}
OTHERS = ("3.10", "3.12", "3.13")  # versions that the extension supports


class ParkedCallsTest(unittest.TestCase):
    def parked(self) -> set[str]:
        source = (ROOT / "python" / "src" / "interpreter" / "parked_calls.cc").read_text()
        return set(re.findall(r"^OFINDEX_PARKED_\d\([^,]+, (\w+)", source, re.M)) | set(
            re.findall(r"^\S.* __wrap_(\w+)\(.*\{$", source, re.M)
        )

    @unittest.skipUnless(shutil.which("nm"), "nm is not installed")
    def test_every_python_function_that_the_extension_calls_is_parked_or_harmless(self) -> None:
        listed = subprocess.run(
            ["nm", "-D", "--undefined-only", _ofindex.__file__], capture_output=True, text=True, check=True
        )
        called = set(re.findall(r" U (_?Py\w*)", listed.stdout))
        called = {name for name in called if not re.match(r"PyExc_|\w+_Type$|_Py_\w+Struct$", name)}
        self.assertGreater(len(called), 50)
        self.assertEqual(sorted(called - self.parked() - HARMLESS), [])

    def test_functions_called_by_newer_pythons_are_parked_or_harmless_too(self) -> None:
        for version, names in NEWER.items():
            self.assertEqual(sorted(set(names.split()) - self.parked() - HARMLESS), [], version)

    def test_the_linker_wraps_exactly_the_functions_in_the_source(self) -> None:
        text = (ROOT / "python" / "meson.build").read_text()
        told = re.findall(r"'(\w+)'", text.partition("parked_calls = [")[2].partition("]")[0])
        self.assertEqual(sorted(told), sorted(self.parked()))

    @unittest.skipUnless(shutil.which("c++"), "there is no compiler")
    def test_the_source_compiles_for_every_installed_python(self) -> None:
        ask = "import sysconfig; print(sysconfig.get_paths()['include'])"
        for version in OTHERS:
            try:
                found = subprocess.run([f"python{version}", "-c", ask], capture_output=True, text=True, check=True)
            except (OSError, subprocess.CalledProcessError):
                continue  # not installed
            include = Path(found.stdout.strip())
            if (include / "Python.h").exists():
                source = ROOT / "python" / "src" / "interpreter" / "parked_calls.cc"
                command = ["c++", "-std=c++20", "-fsyntax-only", "-Werror", f"-I{include}", str(source)]
                compiled = subprocess.run(command, capture_output=True, text=True)
                self.assertEqual(compiled.stderr, "", version)

    def test_no_function_is_both_parked_and_harmless(self) -> None:
        self.assertEqual(self.parked() & HARMLESS, set())


if __name__ == "__main__":
    unittest.main()
