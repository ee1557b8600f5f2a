"""An address that passes connections on to a server, which may be changed while clients are there.

with relayed(first.dax_port) as relay:
    clients_connect_to(relay.port)
    relay.turn_to(second.dax_port)      # ends all connections; new ones go to the second
"""

import contextlib
import selectors
import socket
import threading


class Relay:
    def __init__(self, port):
        self._behind, self._pairs, self._lock = port, set(), threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.accepted = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                threading.Thread(target=self._pass_on, args=(near,), daemon=True).start()

    def _pass_on(self, near):
        with near, contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self._behind)) as far:
            with self._lock:
                self.accepted += 1
                self._pairs.add((near, far))
            other, both = {near: far, far: near}, selectors.DefaultSelector()
            for each in other:
                each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                both.register(each, selectors.EVENT_READ)
            while True:
                for ready, _ in both.select():
                    data = ready.fileobj.recv(65536)
                    if not data:
                        return
                    other[ready.fileobj].sendall(data)

    def turn_to(self, port):
        self._behind = port
        with self._lock:
            pairs, self._pairs = self._pairs, set()
        for each in [each for pair in pairs for each in pair]:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def close(self):
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.turn_to(0)


@contextlib.contextmanager
def relayed(port):
    relay = Relay(port)
    try:
        yield relay
    finally:
        relay.close()
