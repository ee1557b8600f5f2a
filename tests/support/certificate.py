"""Certificates for tests of TLS."""

import subprocess


def write_certificate(directory, name):
    """A certificate that signs itself, and its key."""
    parts = [directory / f"{name}.pem", directory / f"{name}.key"]
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    command += ["-days", "2", "-subj", f"/CN={name}", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    subprocess.run([*command, "-out", parts[0], "-keyout", parts[1]], check=True, capture_output=True)
    return parts
