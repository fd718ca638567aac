#!/usr/bin/env python3
"""A client of `wgalois groth16 serve`, by the standard library alone.

    client.py [--url http://127.0.0.1:9080] KEY WITNESS... [--folder FOLDER]

Sends each witness (.wtns, or .json) to the key of the name KEY, several at a time, and writes NAME.proof.json and
NAME.public.json to the folder. A server without a place is asked again when it says. The exit code is 1 if a witness got no proof.
"""

import argparse
import http.client
import json
import pathlib
import sys
import time
import urllib.parse
from concurrent.futures import ThreadPoolExecutor

TYPES = {".wtns": "application/octet-stream", ".json": "application/json"}


class Refused(Exception):
    """The server's answer that there is no proof: the status of HTTP, and the fields `error`, `fault` and `exit_code`."""

    def __init__(self, status, fields):
        super().__init__(f"{status}: {fields.get('error', 'no message')}")
        self.status, self.fields = status, fields


class Client:
    """Asks one server for proofs. Every call has a connection of its own, so that threads can share the client."""

    def __init__(self, url="http://127.0.0.1:9080", timeout=120, attempts=20):
        parts = urllib.parse.urlsplit(url)
        kinds = {"http": http.client.HTTPConnection, "https": http.client.HTTPSConnection}
        self.kind, self.host, self.path = kinds[parts.scheme], parts.netloc, parts.path.rstrip("/")
        self.timeout, self.attempts = timeout, attempts

    def keys(self):
        """The server's keys, each with the sizes of its circuit."""
        return self._answer("GET", "/keys", None, {})["keys"]

    def prove(self, key, witness, content_type=TYPES[".wtns"]):
        """The answer for the bytes of a witness: a dict of `proof` and `publicSignals`, as snarkjs has them."""
        path = "/prove/" + urllib.parse.quote(key, safe="")
        return self._answer("POST", path, witness, {"Content-Type": content_type})

    def _answer(self, method, path, body, headers):
        for attempt in range(self.attempts):
            connection = self.kind(self.host, timeout=self.timeout)
            try:
                connection.request(method, self.path + path, body, headers)
                answer = connection.getresponse()
                text = answer.read()
            finally:
                connection.close()
            if answer.status == 200:
                return json.loads(text)
            wait = answer.getheader("Retry-After")
            if answer.status != 503 or wait is None or attempt + 1 == self.attempts:
                break
            time.sleep(float(wait))
        try:
            fields = json.loads(text)
        except ValueError:
            fields = {"error": text.decode(errors="replace")}
        raise Refused(answer.status, fields)


def main():
    parser = argparse.ArgumentParser(description="Ask a server of wgalois for proofs.")
    parser.add_argument("key", help="the name of the key: that of its file, without .zkey")
    parser.add_argument("witnesses", nargs="+", type=pathlib.Path, help="files .wtns or .json")
    parser.add_argument("--url", default="http://127.0.0.1:9080")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("."))
    parser.add_argument("--together", type=int, default=4, help="requests at a time")
    arguments = parser.parse_args()
    client = Client(arguments.url)
    arguments.folder.mkdir(parents=True, exist_ok=True)

    def prove(path):
        try:
            content_type = TYPES.get(path.suffix, TYPES[".wtns"])
            answer = client.prove(arguments.key, path.read_bytes(), content_type)
        except (Refused, OSError, http.client.HTTPException) as error:
            print(f"{path}: {error}", file=sys.stderr)
            return False
        for name, field in (("proof", "proof"), ("public", "publicSignals")):
            (arguments.folder / f"{path.stem}.{name}.json").write_text(json.dumps(answer[field]))
        return True

    with ThreadPoolExecutor(arguments.together) as threads:
        proved = list(threads.map(prove, arguments.witnesses))
    print(f"{sum(proved)} of {len(proved)} witnesses are proved")
    return 0 if all(proved) else 1


if __name__ == "__main__":
    sys.exit(main())
