"""Runs containers of an archive of an image, by Podman with a store of its own that goes with the test."""

import json
import os
import resource
import signal
import subprocess

# What an image has to do with. Podman's own limits of open files and processes may be beyond the machine's.
CONFINED = ["--read-only", "--read-only-tmpfs=false", "--cap-drop=ALL", "--security-opt=no-new-privileges", "--network=none"]
LIMITS = [("nofile", resource.RLIMIT_NOFILE), ("nproc", resource.RLIMIT_NPROC)]


def limits():
    for name, number in LIMITS:
        hard = resource.getrlimit(number)[1]
        most = 4096 if hard == resource.RLIM_INFINITY else min(hard, 4096)
        yield f"--ulimit={name}={most}:{most}"


class Engine:
    def __init__(self, folder):
        self.folder = folder
        self.runtime = None
        (folder / "tmp").mkdir()

    def attempt(self, *words):
        store = [f"--root={self.folder / 'root'}", f"--runroot={self.folder / 'run'}", "--storage-driver=vfs"]
        runtime = [f"--runtime={self.runtime}"] if self.runtime else []
        return subprocess.run(["podman", *store, *runtime, "--cgroup-manager=cgroupfs", "--log-level=fatal", *map(str, words)],
                              capture_output=True, text=True, timeout=120, check=False,
                              env={**os.environ, "TMPDIR": str(self.folder / "tmp")})  # fmt: skip

    def __call__(self, *words):
        ended = self.attempt(*words)
        assert ended.returncode == 0, f"podman {words}: {ended.stdout[-2000:]} {ended.stderr[-2000:]}"
        return ended.stdout.strip()

    def load(self, archive):
        """The image's name. Chooses the runtime, as not every one can do with every machine's control groups."""
        [name] = [line.split()[-1] for line in self("load", "-i", archive).splitlines() if "Loaded" in line]
        said = []
        for self.runtime in [self.runtime] if self.runtime else ["crun", "runc"]:
            ended = self.attempt("run", "--rm", *CONFINED, *limits(), name, "version")
            if ended.returncode == 0 and ended.stdout.startswith("partita "):
                return name
            said.append(f"{self.runtime}: {ended.stderr[-500:]}")
        raise AssertionError(f"no runtime can run {name}: {said}")

    def run(self, name, *command, options=()):
        """Runs it to its end."""
        return self.attempt("run", "--rm", *CONFINED, *limits(), *options, name, *command)

    def start(self, name, *command, options=()):
        return Container(self, self("run", "-d", "--health-interval=disable", *CONFINED, *limits(), *options, name, *command))


class Container:
    def __init__(self, engine, name):
        self.engine, self.name = engine, name
        self.process = json.loads(engine("inspect", name))[0]["State"]["Pid"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.engine("rm", "-f", "-t", "0", self.name)

    def inside(self, *command):
        """Runs a program of this machine in the container's network."""
        enter = ["nsenter", "-t", str(self.process), *([] if os.geteuid() == 0 else ["-U", "--preserve-credentials"]), "-n"]
        ended = subprocess.run([*enter, *command], capture_output=True, text=True, timeout=120, check=False)
        assert ended.returncode == 0, f"{command}: {ended.stdout[-2000:]} {ended.stderr[-2000:]} {self.logs()}"
        return ended.stdout

    def is_healthy(self):
        return self.engine.attempt("healthcheck", "run", self.name).returncode == 0

    def status(self):
        """Of its process, as the kernel says it."""
        with open(f"/proc/{self.process}/status") as file:
            return dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)

    def pause(self):
        os.kill(self.process, signal.SIGSTOP)

    def resume(self):
        os.kill(self.process, signal.SIGCONT)

    def logs(self):
        ended = self.engine.attempt("logs", self.name)
        return ended.stdout + ended.stderr

    def stop(self):
        self.engine("stop", "-t", "20", self.name)
        return json.loads(self.engine("inspect", self.name))[0]["State"]["ExitCode"]
