"""Signature Version 4 of requests as bench/load.cc sends them, computed before the clock starts."""

import functools
import hashlib
import hmac
import time

ACCESS_KEY, SECRET_KEY, REGION = "local", "local", "us-east-1"
SIGNED_HEADERS = "content-type;host;x-amz-date;x-amz-target"
CONTENT_TYPE, HOST = "application/x-amz-json-1.0", "127.0.0.1"


def _hmac(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


@functools.cache
def _signing_key(day):
    key = _hmac(f"AWS4{SECRET_KEY}".encode(), day)
    for part in (REGION, "dynamodb", "aws4_request"):
        key = _hmac(key, part)
    return key


def target_of(operation):
    """As X-Amz-Target has it; an operation of another API than DynamoDB's says which."""
    return operation if "." in operation else f"DynamoDB_20120810.{operation}"


def signature(operation, body, date):
    """The 64 digits for a POST of `body` (text) that is sent at `date`, such as 20260101T000000Z."""
    payload = hashlib.sha256(body.encode()).hexdigest()
    canonical = (
        f"POST\n/\n\ncontent-type:{CONTENT_TYPE}\nhost:{HOST}\nx-amz-date:{date}\n"
        f"x-amz-target:{target_of(operation)}\n\n{SIGNED_HEADERS}\n{payload}"
    )
    scope = f"{date[:8]}/{REGION}/dynamodb/aws4_request"
    text = f"AWS4-HMAC-SHA256\n{date}\n{scope}\n{hashlib.sha256(canonical.encode()).hexdigest()}"
    return _hmac(_signing_key(date[:8]), text).hex()


def authorization(operation, body, date):
    """The value of the Authorization header."""
    credential = f"{ACCESS_KEY}/{date[:8]}/{REGION}/dynamodb/aws4_request"
    return (
        f"AWS4-HMAC-SHA256 Credential={credential}, SignedHeaders={SIGNED_HEADERS}, "
        f"Signature={signature(operation, body, date)}"
    )


def now():
    return time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())


def signed(lines):
    """`lines` are requests, each an operation, a space, the body and a line end; the same, with signatures."""
    date = now()
    return [_signed_line(line, date) for line in lines]


def _signed_line(line, date):
    operation, body = line.rstrip("\n").split(" ", 1)
    return f"{operation}:{date}:{signature(operation, body, date)} {body}\n"
