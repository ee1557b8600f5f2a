"""What pyproject.toml cannot say: the version, which is the program's, and that a wheel with the program is one of its
platform. packaging/python_wheel.py sets both variables."""

import os

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel

PLATFORM = os.environ.get("PARTITA_PLATFORM")


class WithProgram(Distribution):
    def has_ext_modules(self):
        return bool(PLATFORM)


class ProgramWheel(bdist_wheel):
    def get_tag(self):
        return ("py3", "none", PLATFORM) if PLATFORM else super().get_tag()


setup(distclass=WithProgram, version=os.environ.get("PARTITA_VERSION", "0"), cmdclass={"bdist_wheel": ProgramWheel})
