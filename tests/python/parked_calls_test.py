"""Calls from the extension into Python: each that may come back for the GIL parks the thread, instead of unwinding it.

python/src/parked_calls.cc has the reason.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import unittest
from pathlib import Path

from ofindex import _ofindex

ROOT = Path(__file__).resolve().parents[2]

#: Functions that run no Python code, free no object and do not touch the GIL, or are called while the module is
#: imported alone.
HARMLESS_NAMES = """
    PyBuffer_FillInfo PyBytes_AsString PyBytes_FromStringAndSize PyBytes_Size PyCapsule_GetContext
    PyCapsule_GetPointer PyCapsule_New PyCapsule_SetContext PyCapsule_SetDestructor PyCapsule_SetName
    PyDict_Next PyErr_ExceptionMatches PyErr_Fetch PyErr_Occurred PyErr_WarnFormat PyEval_SaveThread
    PyException_GetTraceback PyFloat_FromDouble PyFrame_GetBack PyFrame_GetCode PyFrame_GetLineNumber
    PyGILState_GetThisThreadState PyIndex_Check PyInterpreterState_Get PyInterpreterState_GetDict
    PyList_Append PyLong_AsDouble PyLong_FromLong PyLong_FromUnsignedLong PyMapping_Check PyMem_Calloc
    PyMem_Free PyMem_Malloc PyModuleDef_Init PyModule_GetDef PyModule_GetDict PyModule_GetState
    PyModule_NewObject PyObject_CheckBuffer PyObject_Free PyObject_GC_Del PyObject_GC_Track
    PyObject_GC_UnTrack PyObject_Init PyObject_Malloc PyObject_Realloc PySequence_Check PyType_FromSpec
    PyType_GetName PyType_GetSlot PyType_IsSubtype PyType_Ready PyUnicode_AsUTF8 PyUnicode_AsUTF8AndSize
    PyUnicode_FromString PyUnicode_FromStringAndSize PyUnicode_InternFromString PyUnicode_InternInPlace
    Py_AtExit Py_CompileStringExFlags Py_GenericAlias Py_GenericAliasType Py_IsInitialized _PyType_Lookup
    _PyWeakref_RefType
"""
HARMLESS = frozenset(HARMLESS_NAMES.split())


class ParkedCallsTest(unittest.TestCase):
    def parked(self) -> set[str]:
        source = (ROOT / "python" / "src" / "parked_calls.cc").read_text()
        return set(re.findall(r"^OFINDEX_PARKED_\d\([^,]+, (\w+)", source, re.M)) | set(
            re.findall(r"^\S.* __wrap_(\w+)\(.*\{$", source, re.M)
        )

    @unittest.skipUnless(shutil.which("nm"), "nm is not installed")
    def test_every_function_that_the_extension_calls_is_parked_or_harmless(self) -> None:
        listed = subprocess.run(
            ["nm", "-D", "--undefined-only", _ofindex.__file__], capture_output=True, text=True, check=True
        )
        called = set(re.findall(r" U (_?Py\w*)", listed.stdout))
        called = {name for name in called if not re.match(r"PyExc_|\w+_Type$|_Py_\w+Struct$", name)}
        self.assertGreater(len(called), 50)
        self.assertEqual(sorted(called - self.parked() - HARMLESS), [])

    def test_nothing_is_both(self) -> None:
        self.assertEqual(self.parked() & HARMLESS, set())


if __name__ == "__main__":
    unittest.main()
